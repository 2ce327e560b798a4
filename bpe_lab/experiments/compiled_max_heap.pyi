from bpe_lab.stages.max_heap import MaxHeap as MaxHeap
