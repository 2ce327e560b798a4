"""What a stage of a reader is tried with: is it right, what work does it do, how fast is it?"""
