"""Words of the generated stories, by what a sentence may do with them.

Inside a class the words stand roughly from common to rare, because the generator draws the k-th of
them with a weight of about 1/k. Entries are separated by commas. Irregular forms follow a slash:
`leaf/leaves` for a noun, `run/ran/running` for a verb; all other forms are made by rule. The name
of a class is inflected like its words, so `{moved}` in a sentence asks for a past tense of `move`.
"""

NOUNS: dict[str, str] = {
    # Things a child owns, carries about, loses and finds again.
    "toy": """
        ball, doll, kite, teddy bear, book, hat, balloon, toy car, drum, scarf/scarves, puzzle,
        boat, ring, bell, basket, whistle, robot, blanket, bucket, backpack, flute, lantern,
        puppet, yo-yo, top, umbrella, crown, rocket, necklace, wand, mask, bracelet, notebook,
        music box/music boxes, paintbrush, toy train, toy sword, magnet, compass, purse,
        telescope, snow globe, cap, torch, pinwheel, marble, toy tractor, picture book, rattle,
        tambourine, rag doll, cape, locket, magnifying glass, jump rope, beach ball, harmonica,
        toy digger, paper plane, sketchbook, slingshot, frisbee, mitten, toy castle, diary,
        lunchbox, water bottle, camera, toy dinosaur, watch, lollipop tin, suitcase, cushion,
        postcard, medal, trumpet, ukulele, badge, trophy, spinning top, toy giraffe, handkerchief,
        wooden horse, pencil case, xylophone, boomerang, kaleidoscope, toy elephant, jigsaw,
        bonnet, walkie-talkie, toy submarine, dollhouse, satchel, recorder, tea set, tiara,
        toy helicopter, headband, abacus, catapult, hand puppet, concertina, periscope, sundial
        """,
    # Small things for a pocket, a box or a shelf.
    "trinket": """
        stone, shell, button, coin, key, feather, stick, leaf/leaves, rock, ribbon, bead, acorn,
        marble, pebble, pencil, string, crayon, flower, stamp, card, pin, star, sticker, cork,
        pine cone, nut, seed, candle, spoon, thread, needle, twig, bottle cap, penny, brush, map,
        ticket, glove, sock, paper clip, comb, wheel, hook, spool, mirror, thimble, nail, berry,
        conker, brooch, peanut, buckle, domino/dominoes, bolt, sequin, toothpick, eraser,
        chestnut, hairpin, letter, pearl, chain, screw, gem, medallion, clothes peg, fossil,
        postage stamp, tassel, starfish/starfish, walnut, cog, crystal, napkin, hazelnut, pompom,
        matchbox, envelope, seashell, photograph, bookmark, magnet, rubber band, rosette,
        safety pin, shoelace, wishbone, cockle, propeller, spring, bauble, token, keyring,
        tooth/teeth, icicle, ruler, eggshell, battery, nugget, chess piece, doily, bobbin, hinge,
        figurine
        """,
    # Things one eats by the piece.
    "treat": """
        cake, cookie, apple, sandwich, pie, banana, muffin, bun, pancake, egg, pear, orange,
        biscuit, cupcake, lollipop, carrot, peach, doughnut, plum, pizza, tart, sausage, waffle,
        bread roll, pretzel, scone, tomato/tomatoes, pastry, crumpet, cracker, bagel,
        gingerbread man/gingerbread men, mango/mangoes, brownie, potato/potatoes, croissant,
        meatball, dumpling, cherry pie, omelette, fig, candy cane, flapjack, burger, taco,
        macaroon, toffee apple, pasty, apricot, pickle, nectarine, jam tart, marshmallow,
        corn cob, eclair, popsicle, teacake, fritter, spring roll, meringue, turnover, quiche,
        samosa, shortbread star, custard tart, fudge square, falafel, lemon bar, tangerine,
        truffle, oatcake, kebab, rice ball, strudel, papaya, burrito
        """,
    # Those that one bakes.
    "cake": """
        cake, cookie, pie, muffin, bun, pancake, biscuit, cupcake, tart, scone, waffle,
        cheesecake, brownie, doughnut, apple pie, flapjack, plum cake, teacake, carrot cake,
        pudding, sponge cake, honey cake, cherry pie, macaroon, strudel, oatcake, layer cake,
        fruit tart, shortbread star, lemon cake, nut bread
        """,
    # Things one eats or drinks by the bowl, cup or slice: "some soup".
    "meal": """
        soup, bread, milk, cheese, water, rice, honey, juice, ice cream, jam, porridge, stew, tea,
        pasta, butter, popcorn, lemonade, yoghurt, cereal, salad, toast, chocolate, hot chocolate,
        pudding, jelly, fish, cocoa, cream, spaghetti, fruit salad, gravy, curry, custard, trifle,
        oatmeal, cider, chicken, broth, ham, crumble, risotto, fudge, toffee, macaroni, goulash,
        lasagne, coleslaw, marmalade, ginger ale, chowder, couscous, hummus, sorbet, sherbet,
        peppermint tea, rhubarb, bacon, mashed turnip, polenta, granola, nougat, buttermilk
        """,
    "crop": """
        apple, carrot, strawberry, pear, tomato/tomatoes, bean, pea, potato/potatoes, pumpkin,
        onion, cherry, plum, grape, orange, lemon, blueberry, peach, cabbage, mushroom, nut,
        melon, raspberry, blackberry, turnip, cucumber, lettuce, radish, pepper, fig, beetroot,
        apricot, gooseberry, leek, courgette, parsnip, aubergine, cranberry, quince, artichoke,
        olive, swede, mulberry, date, chilli/chillies, sprout, cauliflower, marrow, shallot,
        squash/squashes, elderberry, damson, gourd, almond, pomegranate, lychee, kumquat,
        greengage, redcurrant
        """,
    # Small, friendly animals that can be found, fed and taken home for tea.
    "animal": """
        dog, cat, bunny, bird, puppy, kitten, duck, mouse/mice, frog, squirrel, rabbit, turtle,
        pony, hedgehog, duckling, lamb, fox, goat, pig, hen, hamster, chick, owl, donkey,
        sheep/sheep, parrot, piglet, robin, goose/geese, beaver, mole, calf/calves, otter,
        guinea pig, badger, cricket, swan, foal, crow, toad, penguin, sparrow, lizard, pigeon,
        tortoise, chipmunk, gosling, raccoon, magpie, bat, llama, fawn, seal, dove, canary, raven,
        monkey, ferret, cockerel, bear cub, gecko, gerbil, seagull, newt, jackdaw, kid goat,
        alpaca, cockatoo
        """,
    # Animals to look at: in a zoo, in a picture book, as a shape in the clouds.
    "beast": """
        lion, bear, elephant, monkey, tiger, horse, cow, wolf/wolves, deer/deer, giraffe, zebra,
        whale, dinosaur, camel, dragon, snake, crocodile, kangaroo, dolphin, hippo, rhino, shark,
        panda, gorilla, bull, moose/moose, leopard, walrus, ostrich, koala, cheetah, peacock,
        octopus, eagle, bison/bison, reindeer/reindeer, polar bear, buffalo/buffaloes, flamingo,
        jaguar, yak, panther, sloth, lynx, antelope, anteater, porcupine, alligator, mammoth,
        ox/oxen, baboon, armadillo, unicorn, gazelle, orangutan, iguana, pelican, meerkat, lemur,
        wombat, tapir, puma, hyena, wallaby, emu, narwhal, platypus, vulture, mongoose, warthog,
        aardvark, ibex, puffin, boar, chameleon, okapi, manatee, skunk, toucan, condor, sea lion,
        chimpanzee, stork, triceratops/triceratops, elk/elk, griffin, cassowary, bobcat, stallion,
        caribou/caribou, capybara, phoenix, pangolin, oryx, cougar
        """,
    "insect": """
        butterfly, bee, ant, ladybird, spider, snail, worm, beetle, dragonfly, fly, caterpillar,
        grasshopper, moth, firefly, bumblebee, cricket, slug, wasp, mosquito/mosquitoes,
        centipede, earwig, woodlouse/woodlice, millipede, damselfly, cicada, gnat, hornet,
        hoverfly, daddy longlegs/daddy longlegs, stick insect, pond skater, aphid, mayfly,
        cockchafer, weevil, termite, glow worm
        """,
    "bird": """
        duck, robin, owl, sparrow, swan, blackbird, crow, pigeon, gull, eagle, woodpecker, heron,
        swallow, thrush, wren, blue tit, kingfisher, dove, goldfinch, magpie, starling, hawk,
        cuckoo, jay, lark, chaffinch, kestrel, nightingale, moorhen, pheasant, coot, falcon,
        bullfinch, greenfinch, lapwing, curlew, nuthatch, siskin, skylark, buzzard, partridge,
        linnet, wagtail, grebe, oriole, goldcrest, osprey, cormorant, sandpiper, waxwing, bunting,
        tern, plover, dipper
        """,
    "sea_creature": """
        fish/fish, crab, starfish/starfish, seal, dolphin, jellyfish/jellyfish, shrimp/shrimp,
        whale, octopus, turtle, lobster, eel, seahorse, clam, squid/squid, mussel, sea urchin,
        goldfish/goldfish, snail, oyster, stingray, prawn, herring, cod/cod, salmon/salmon,
        trout/trout, hermit crab, barnacle, limpet, plaice/plaice, mackerel/mackerel, porpoise,
        clownfish/clownfish, cuttlefish/cuttlefish, periwinkle, sea slug, pufferfish/pufferfish,
        swordfish/swordfish, anemone, minnow, stickleback
        """,
    # Where one goes "to the ..." and is "at the ...".
    "place": """
        park, beach, farm, river, shop, pond, market, playground, library, zoo, lake, school,
        bakery, garden, fair, toy shop, museum, orchard, harbour, village green, bridge,
        swimming pool, stream, train station, castle, mill, circus, meadow gate, duck pond,
        theatre, windmill, bus stop, post office, lighthouse, town hall, cottage, bookshop,
        stables, pier, cafe, skating rink, vegetable garden, fire station, greenhouse, sweet shop,
        fountain, boathouse, flower shop, clock tower, campsite, hospital, aquarium, old well,
        waterfall, crossroads, sports field, bandstand, cricket field, dairy, airport,
        garden centre, cinema, pottery, quayside, smithy, observatory, botanic garden, drawbridge,
        carousel, planetarium, racetrack, sawmill, vineyard
        """,
    # Where one is "in the ...".
    "wild": """
        forest, woods, garden, meadow, hills, field, jungle, valley, mountains, orchard, wood,
        park, long grass, bushes, swamp, desert, reeds, cave, canyon, heather, marsh, sand dunes,
        bamboo, pine forest, clearing, oak wood, snow, bracken, rainforest, glade, cornfield,
        thicket, birch wood, countryside, moor, prairie, hazel grove, fens, wilderness,
        undergrowth
        """,
    # What a thing may be under, behind or next to: indoors, then outdoors.
    "bed": """
        bed, table, chair, sofa, box, cupboard, curtain, wardrobe, desk, rug, piano, bookcase,
        stove, cabinet, armchair, mattress, rocking chair, trunk, counter, dresser, sideboard,
        chest of drawers, cradle, grandfather clock, bunk bed, stepladder, coat stand,
        bookshelf/bookshelves, toy box/toy boxes, pillow, doormat, radiator, ironing board,
        footstool, laundry basket, kitchen bench/kitchen benches, blanket chest, spare bed,
        tea trolley, shoe rack, linen basket, high chair, writing desk, folding screen,
        chaise longue
        """,
    "bush": """
        tree, bush, shed, rock, bench, tent, log, oak tree, wheelbarrow, barn, haystack, hedge,
        apple tree, crate, flowerpot, barrel, kennel, rose bush, woodpile, slide, hammock,
        sundial, rain barrel, willow, compost heap, beehive, dustbin, seesaw, hen house, boulder,
        cauldron, statue, garden bench, hollow log, bramble bush, picnic table, park bench,
        lilac bush, climbing frame, garden table, garden shed, holly bush, pear tree,
        upturned boat
        """,
    "room": """
        kitchen, garden, bedroom, living room, yard, attic, bathroom, barn, garage, hall, cellar,
        shed, tree house, basement, tent, cottage, playroom, dining room, hallway, pantry,
        workshop, nursery, greenhouse, laundry room, stable, study, conservatory, loft, parlour,
        den, porch, summer house, music room, larder, potting shed
        """,
    "job": """
        farmer, baker, teacher, doctor, gardener, shopkeeper, painter, builder, cook, nurse,
        librarian, sailor, pilot, firefighter, police officer, carpenter, vet, musician, tailor,
        dentist, captain, shoemaker, bus driver, clown, singer, magician, dancer, artist,
        zookeeper, train driver, woodcutter, engineer, scientist, shepherd, florist, butcher,
        plumber, inventor, astronaut, juggler, lifeguard, potter, blacksmith, miller, explorer,
        coach, cleaner, hairdresser, photographer, mechanic, writer, poet, astronomer, acrobat,
        beekeeper, goldsmith, weaver, conductor, grocer, lighthouse keeper, watchmaker,
        park ranger, toymaker, cobbler, locksmith, mayor, glassblower, diver, electrician,
        bookbinder, pharmacist, cheesemaker, puppeteer, mapmaker, saddler, basket maker,
        chimney sweep, surveyor, thatcher, stonemason, piper
        """,
    # Who one can dress up as or meet in an old tale.
    "figure": """
        king, queen, pirate, princess, knight, prince, witch, wizard, giant, fairy, clown, dragon,
        robot, ghost, sailor, elf/elves, cowboy, mermaid, monster, astronaut,
        superhero/superheroes, goblin, troll, gnome, emperor, duke, duchess, ninja, dwarf/dwarves,
        vampire, sorcerer, genie, viking, mummy, ogre, leprechaun, archer, jester, detective,
        highwayman/highwaymen, minstrel, scarecrow
        """,
    "plant": """
        flower, tree, rose, daisy, sunflower, bush, tulip, oak, fern, poppy, vine, lily, daffodil,
        pine, bluebell, mushroom, dandelion, buttercup, willow, violet, clover, primrose, pansy,
        ivy, apple tree, cactus/cacti, snowdrop, lavender bush, chestnut tree, marigold, crocus,
        birch, orchid, palm tree, thistle, foxglove, maple, geranium, rosebush, iris, hazel tree,
        nettle, holly bush, cornflower, elm, honeysuckle, peony, hyacinth, lilac, toadstool,
        carnation, cedar, bamboo plant, heather, forget-me-not, beech, magnolia, jasmine, aster,
        hollyhock, lupin, yew, rowan, petunia, dahlia, sweet pea, cowslip, hawthorn, camellia,
        begonia, fuchsia, zinnia, poplar
        """,
    "garment": """
        hat, coat, shirt, scarf/scarves, jacket, jumper, cap, apron, raincoat, cape, cardigan,
        waistcoat, cloak, T-shirt, vest, uniform, poncho, swimsuit, woolly hat, dressing gown,
        hoodie, kilt, straw hat, anorak, tunic, top hat, sweater, bow tie, beret, sunhat, turban
        """,
    # For dressing up.
    "costume": """
        dress, skirt, mask, crown, cape, costume, blouse, nightgown, veil, gown, shawl, sari,
        bonnet, tutu, kimono, pinafore, false beard, wig, pirate hat, headscarf/headscarves,
        cowboy hat, eyepatch/eyepatches, petticoat, frock, toga, suit of armour/suits of armour
        """,
    "vehicle": """
        car, bus, bike, boat, train, truck, tractor, wagon, plane, ship, sled, scooter, van, cart,
        taxi, tram, fire engine, ferry, rocket, canoe, rowing boat, raft, hot-air balloon,
        bicycle, lorry, carriage, helicopter, sailing boat, steam train, motorbike, caravan,
        skateboard, unicycle, digger, sleigh, tricycle, kayak, bulldozer, submarine, ambulance,
        go-kart, barge, airship, gondola, snowplough, dinghy, jeep, minibus, steamboat, trolley,
        locomotive, yacht
        """,
    "tool": """
        spoon, bowl, cup, brush, hammer, broom, pot, bucket, ladder, spade, rope, plate, pan,
        towel, rake, shovel, needle, jug, saw, net, sponge, fork, watering can, basket, mop,
        kettle, sack, fishing rod, paintbrush, torch, screwdriver, whisk, rolling pin, tray,
        teapot, wheelbarrow, ruler, jar, pump, oven glove, tin, trowel, funnel, spanner, sieve,
        hoe, tape measure, hose, pulley, ladle, drill, crowbar, chisel, tongs/tongs, paddle, oar,
        feather duster, wrench, grater, magnifying glass, wire, pestle, thermometer, spirit level,
        mallet, peeler, dustpan, dipper, spatula, colander, bellows/bellows
        """,
    "instrument": """
        drum, piano, violin, guitar, flute, trumpet, harp, recorder, bell, banjo, tambourine,
        tuba, cello, whistle, accordion, ukulele, trombone, clarinet, harmonica, triangle, fiddle,
        oboe, saxophone, xylophone, mandolin, bugle, double bass, bagpipe, lute, gong, organ,
        piccolo, cornet, bassoon, sitar, zither, viola, concertina, marimba, ocarina, kazoo,
        dulcimer, balalaika
        """,
    "material": """
        wood, paper, stone, gold, wool, clay, glass, silver, cardboard, straw, silk, tin, leather,
        string, felt, brass, cloth, bark, copper, iron, wire, velvet, wax, cotton, marble, bamboo,
        foil, linen, denim, cork, oak, lace, tweed, wicker, amber, porcelain, tinfoil
        """,
    # Part of a child that may hurt, tickle or be cold.
    "limb": """
        hand, nose, foot/feet, knee, arm, head, finger, leg, toe, ear, tummy, cheek, elbow, back,
        chin, thumb, shoulder, ankle, neck, wrist, heel, forehead
        """,
    "game": """
        tag, hide-and-seek, catch, football, chess, leapfrog, hopscotch, marbles, cards, tennis,
        pirates, snakes and ladders, cricket, dominoes, knights and dragons, musical chairs,
        rounders, charades, draughts, basketball, dressing up, skittles, volleyball, badminton,
        blind man's buff, bingo, bowls, hockey, explorers, croquet, ludo, netball, tiddlywinks,
        conkers, astronauts
        """,
    "event": """
        party, picnic, fair, show, parade, birthday, concert, dance, feast, festival, wedding,
        snowball fight, circus, sports day, tea party, carnival, bonfire, puppet show, sleepover,
        harvest supper, jumble sale, treasure hunt, exhibition, magic show, talent show,
        flower show, sing-along, regatta, kite festival, barbecue, pageant, lantern walk, gymkhana
        """,
    "lesson": """
        friendship, sharing, kindness, patience, honesty, courage, trust, hope, love, family,
        hard work, helping, listening, courtesy, gratitude, teamwork, bravery, generosity,
        forgiveness, respect, hospitality, curiosity, imagination, humility, loyalty,
        perseverance, fairness, tenderness, thoughtfulness, tidiness, politeness, modesty,
        cheerfulness, carefulness, understanding
        """,
    "mum": "mum, dad, grandma, grandpa, mummy, daddy, granny, mama, papa, nana, grandad",
}

VERBS: dict[str, str] = {
    # "... to the park"
    "move": """
        run/ran/running, walk, go/went/going, hurry, skip/skipped/skipping, race,
        hop/hopped/hopping, rush, dash, march, wander, jog/jogged/jogging, stroll,
        trot/trotted/trotting, tiptoe/tiptoed/tiptoeing, head, dance, creep/crept/creeping,
        travel/travelled/travelling, gallop, cycle, sneak, hike, zoom, sprint, scamper, tramp,
        crawl, scurry, prance, plod/plodded/plodding, trek/trekked/trekking, amble, trudge,
        waddle, saunter, bustle, shuffle, scramble, roam, pedal/pedalled/pedalling,
        stride/strode/striding, canter, ramble, whizz, traipse, gambol/gambolled/gambolling,
        meander
        """,
    # A statement in quotes follows or precedes.
    "say/said/saying": """
        say/said/saying, reply, answer, call, whisper, shout, cry, announce, exclaim, declare,
        murmur
        """,
    # A happy statement, then a sad one.
    "laugh": """
        say/said/saying, laugh, smile, giggle, cry, shout, cheer, beam, sing/sang/singing,
        grin/grinned/grinning, chuckle, squeal, chirp, hum/hummed/humming, crow, trill, bubble
        """,
    "sigh": """
        say/said/saying, sigh, whisper, cry, sob/sobbed/sobbing, mumble, sniff, groan, wail,
        mutter, stammer, whimper, moan, grumble, sniffle, gulp, croak, falter
        """,
    "ask": "ask, call, enquire, whisper, cry, murmur",
    "cheer": """
        smile, laugh, clap/clapped/clapping, giggle, cheer, jump, dance, sing/sang/singing,
        grin/grinned/grinning, hop/hopped/hopping, twirl, skip/skipped/skipping,
        spin/spun/spinning, chuckle, shout, whistle, beam, hum/hummed/humming, bounce, whoop,
        leap/leapt/leaping, wiggle, applaud, squeal, prance, celebrate, rejoice, chortle
        """,
    "sob/sobbed/sobbing": """
        cry, sigh, frown, sob/sobbed/sobbing, weep/wept/weeping, shiver, pout, sniff, whimper,
        tremble, groan, shake/shook/shaking, moan, wail, sniffle, grumble, sulk, blush, shudder,
        mope, snivel/snivelled/snivelling, bawl, gulp, fret/fretted/fretting, wince, quiver,
        despair, grimace
        """,
    # What children like to do.
    "play": """
        draw/drew/drawing, sing/sang/singing, dance, swim/swam/swimming, read/read/reading, paint,
        run/ran/running, climb, bake, jump, cook, dig/dug/digging, explore, ride/rode/riding,
        cycle, fish, skate, camp, garden, build/built/building, sail, sew, count,
        write/wrote/writing, knit/knitted/knitting, juggle, dream, skip/skipped/skipping, hike,
        ski/skied/skiing, surf, sketch, row, yodel/yodelled/yodelling, whittle, gallop, splash,
        doodle, act, somersault, carve, bowl, plant, weave/wove/weaving, sculpt, wrestle, collect,
        tumble, slide/slid/sliding, paddle, snorkel/snorkelled/snorkelling, dive, rhyme, stargaze
        """,
    # What one does to a thing with care.
    "mend": """
        clean, wash, fix, paint, polish, mend, wipe, brush, dry, decorate, dust, repair, tidy,
        rub/rubbed/rubbing, examine, patch, scrub/scrubbed/scrubbing, glue, rinse, oil, varnish,
        sand, restore, buff, inspect, straighten, adjust
        """,
    "hold/held/holding": """
        hold/held/holding, carry, lift, take/took/taking, bring/brought/bringing,
        grab/grabbed/grabbing, swing/swung/swinging, clutch, grip/gripped/gripping, wave, raise,
        hoist, grasp, fetch, steady, clasp, haul
        """,
    # What the wind, a wave or a clumsy tail does to something.
    "topple": """
        knock/knocked/knocking, push, tip/tipped/tipping, pull, kick, bump, nudge, shove
        """,
    "howl": """
        howl, roar, whistle, moan, blow/blew/blowing, rattle, rumble, whine, hiss, shriek, groan,
        thunder, wail, bluster
        """,
    "search": """
        look, search, hunt, peek, peer, check, rummage, feel/felt/feeling, poke
        """,
    "shine/shone/shining": """
        shine/shone/shining, sparkle, glow, glitter, gleam, twinkle, glimmer, shimmer, glisten
        """,
    "grow/grew/growing": """
        grow/grew/growing, bloom, climb, sway, blossom, spread/spread/spreading, sprout,
        twine, thrive, flourish
        """,
    "crash": """
        crash, rumble, roar, creak, bang, rattle, growl, boom, howl, rustle, clatter, thump,
        groan, hiss, squeak, buzz, clang, moan, thunder, crackle, splash, whistle, hoot, shriek,
        screech, jingle, clink, whirr/whirred/whirring, scratch, grumble, murmur, gurgle, sizzle,
        swish, patter, tinkle, chime, clank, whine, snore, croak, gush, crunch, hum/hummed/humming
        """,
    "eat/ate/eating": """
        eat/ate/eating, share, enjoy, taste, munch, finish, nibble, gobble, devour, savour, sample
        """,
}

ADJECTIVES: dict[str, str] = {
    "big": """
        big, little, small, tiny, huge, large, giant, long, enormous, great, wee, gigantic,
        massive, miniature, vast, colossal, immense, whopping, teeny, mammoth
        """,
    "colour": """
        red, blue, green, yellow, white, pink, black, brown, purple, orange, golden, silver, grey,
        rosy, pale blue, violet, scarlet, turquoise, dark green, cream, crimson, lilac,
        bright red, emerald, ruby, sky-blue, copper, striped, ivory, amber, spotted, navy,
        peach-coloured, indigo, lavender, snow-white, maroon, tan, olive, rainbow-coloured,
        bronze, teal, chestnut, mauve, sapphire, beige, magenta, jet-black, lemon-yellow, mustard,
        coral, charcoal, sandy, chequered, plum-coloured, azure, fawn, russet
        """,
    # Looks of an animal.
    "brown": """
        brown, white, black, grey, little, golden, spotted, fluffy, reddish, striped, sandy,
        young, speckled, dappled, fat, skinny, woolly, chestnut, snow-white, jet-black, silvery,
        shaggy, scruffy
        """,
    "pretty": """
        pretty, new, special, shiny, beautiful, nice, lovely, soft, bright, fine, magic, perfect,
        fancy, colourful, precious, wonderful, rare, amazing, splendid, charming, unusual,
        delicate, elegant, magnificent, dainty, quaint, unique, gorgeous, remarkable, homemade,
        glossy, dazzling, exquisite, ornate, astonishing, old-fashioned
        """,
    # Found somewhere, and showing it.
    "old": """
        old, strange, broken, dusty, rusty, funny, lost, round, heavy, muddy, plain, crooked,
        forgotten, dirty, peculiar, ordinary, mysterious, ancient, faded, secret, sparkling,
        dented, battered, curious, scruffy, ragged, lopsided, crumpled, bulky, worthless,
        weathered, speckled, gleaming, polished, glittering, second-hand, scratched, sticky,
        chipped, tarnished
        """,
    "kind": """
        kind, good, brave, clever, happy, friendly, nice, curious, smart, helpful, gentle, wise,
        shy, quiet, careful, cheerful, polite, funny, lively, strong, patient, honest, playful,
        proud, loving, generous, thoughtful, sweet, bold, merry, bright, hopeful, eager, loyal,
        caring, adventurous, sensible, jolly, tidy, talented, obedient, hardworking, daring,
        considerate, creative, daydreaming, sincere, warm-hearted, courageous, energetic, chatty,
        imaginative, independent, good-natured, faithful, inventive, fearless, sociable,
        determined, trustworthy, modest, artistic, dreamy, spirited, charming, easy-going, nimble,
        quick-witted, light-hearted, unselfish, bookish, resourceful, plucky, tender, inquisitive,
        big-hearted
        """,
    # A harmless weakness.
    "grumpy": """
        grumpy, lazy, stubborn, messy, forgetful, noisy, silly, shy, bossy, impatient,
        absent-minded, fussy, fidgety, mischievous, cheeky, careless, untidy, moody, clumsy,
        greedy, naughty, slow, quarrelsome, jealous, timid, nosy, bashful, lonely
        """,
    "happy": """
        happy, excited, proud, glad, thankful, pleased, cheerful, delighted, joyful, grateful,
        relieved, merry, content, thrilled, jolly, contented, gleeful
        """,
    "sad": """
        sad, upset, unhappy, worried, tired, cross, lonely, disappointed, angry, gloomy,
        miserable, grumpy, weary, troubled, heartbroken, frustrated, helpless, dismayed,
        discouraged, downcast, glum, sulky, forlorn, restless, anxious, exhausted
        """,
    "afraid": """
        afraid, scared, frightened, nervous, worried, anxious, alarmed, terrified, uneasy,
        startled, shaken, flustered, puzzled, bewildered, confused, troubled, timid, panicky,
        jumpy, helpless
        """,
    "tasty": """
        delicious, sweet, tasty, fresh, yummy, warm, big, lovely, soft, homemade, wonderful,
        golden, hot, scrumptious, little, fine, sticky, crumbly, perfect, fluffy, mouth-watering,
        splendid, enormous, dainty, heavenly, luscious, appetising, rich, steaming, irresistible
        """,
    "sunny": """
        sunny, warm, rainy, bright, cold, windy, snowy, cloudy, hot, foggy, stormy, frosty, grey,
        chilly, misty, cool, wet, breezy, drizzly, blustery, mild, gloomy, icy, hazy, dull, muggy,
        showery, sweltering, freezing, cloudless
        """,
    "stormy": """
        dark, cold, stormy, windy, rainy, quiet, frosty, foggy, chilly, clear, moonlit, snowy,
        misty, starry, still, wild, moonless, freezing
        """,
    "quiet": """
        quiet, little, old, green, pretty, busy, small, peaceful, far-away, sunny, cosy, lovely,
        dusty, windy, sleepy, friendly, tiny, hidden, noisy, lonely, leafy, hilly, snowy, crowded,
        pleasant, cheerful, charming, rocky, misty, grassy, neat, distant, bustling, remote,
        sandy, flowery, mossy, picturesque, secluded
        """,
    "spooky": """
        strange, loud, scary, odd, soft, low, sudden, spooky, creepy, terrible, mysterious,
        hollow, horrible, eerie, weird, awful, ghostly, funny, sharp, faint, dreadful, shrill,
        thundering, muffled, frightful, booming, hoarse, spine-chilling, deafening, unearthly,
        curious, rasping, piercing, raspy, echoing, tremendous
        """,
    "hard": """
        hard, difficult, tricky, slow, long, tiring, messy, puzzling, boring, dangerous, fiddly,
        muddy, complicated, heavy, dusty, gruelling, ticklish
        """,
}

ADVERBS: dict[str, str] = {
    "quickly": """
        quickly, happily, carefully, quietly, gently, fast, bravely, eagerly, cheerfully, proudly,
        softly, merrily, silently, swiftly, excitedly, calmly, steadily, joyfully, gladly, boldly,
        patiently, hastily, gracefully, cautiously, briskly, gingerly, hopefully, thoughtfully,
        busily, stealthily, nimbly, playfully, confidently, daintily, gleefully, contentedly,
        noiselessly, breathlessly, jauntily
        """,
    "kindly": """
        kindly, softly, gently, quietly, warmly, calmly, cheerfully, wisely, slowly, sweetly,
        firmly, thoughtfully, tenderly, patiently, earnestly, merrily, honestly, sincerely,
        graciously, encouragingly, reassuringly, affectionately, good-naturedly, soothingly
        """,
    "shyly": """
        happily, sadly, softly, quietly, proudly, shyly, politely, bravely, nervously, slowly,
        excitedly, eagerly, sleepily, hopefully, loudly, gratefully, hoarsely, breathlessly,
        curiously, seriously, bashfully, solemnly, dreamily, cheekily, modestly, hesitantly,
        sheepishly, mysteriously, truthfully, timidly, gravely, meekly, gruffly, jokingly,
        playfully
        """,
    "suddenly": """
        suddenly, then, just then, a moment later, all at once, before long, out of nowhere,
        without warning, at that very moment, by and by, unexpectedly, in a flash
        """,
    "very": """
        very, really, truly, quite, unusually, extremely, especially, awfully, remarkably,
        exceedingly
        """,
}

# Whole phrases, between semicolons.
PHRASES: dict[str, str] = {
    "one_day": """
        one day; one {sunny} day; one {sunny} morning; one {sunny} afternoon; one morning;
        on {weekday}; one {sunny} {weekday}; last {month}; one evening; early one morning;
        one {weekday} morning; on the first day of {month}; one {weekday} in {month};
        on {month} {day}; late one {weekday}; one beautiful day; one lovely morning; one fine day;
        one summer day; one winter afternoon; one autumn morning; one spring day
        """,
    "once": """
        once upon a time; once; long ago; a long time ago; once upon a time, in a {quiet} village,;
        many years ago; not so long ago; a few years ago; some time ago; {count} years ago;
        one summer; not very long ago
        """,
    "relation": """
        best friend; friend; cousin; new friend; neighbour; classmate; playmate; twin; teammate;
        pen friend
        """,
    "hello": """
        hello; hi; good morning; good day; hey; oh, hello; welcome; hello there; good afternoon;
        howdy; good evening; greetings; ahoy
        """,
    "wow": """
        wow; oh; look; yes; hooray; yay; oh my; hurray; goodness; oh boy; my goodness; gosh;
        yippee; good heavens; hurrah; well I never; aha; fantastic; golly; bravo; marvellous;
        superb; whoopee; crikey; incredible; oh my stars; yahoo; brilliant
        """,
    "oh_no": """
        oh no; oh dear; help; no; stop; ouch; oops; look out; watch out; uh-oh; dear me; whoops;
        bother; not again; crumbs; yikes; alas; good grief; careful; eek; oh bother; drat; blimey;
        botheration; fiddlesticks; mercy
        """,
    "body_part": """
        tail; nose; head; belly; beak; horn; back; mouth; mane; snout; tongue; chin; forehead;
        beard; neck
        """,
    "long_ago": """
        once upon a time; long ago; in the year 1{hundred}; many years ago; in days of old;
        when the world was young; a thousand years ago; before your grandma was born;
        a long, long time ago; in the olden days; {count} hundred years ago; in the age of knights
        """,
    "feature": "eyes; nose; tail; teeth; mouth; head; feet; legs; back; face",
    "child": "girl; boy; child; lad; lass; toddler",
    "bus": """
        bus; train; car; boat; taxi; cart; tram; van; bike; wagon; tractor; ferry; carriage;
        lorry; minibus; sleigh; steam train; rowing boat; jeep
        """,
    "bike": """
        bike; swing; scooter; pony; chair; slide; ladder; wall; fence; skateboard; horse; tree;
        trampoline; haystack; unicycle
        """,
    "kitten": """
        cat; kitten; mouse; puppy; hamster; bird; dog; guinea pig; rabbit; hedgehog; parrot; bat;
        owl; squirrel; gerbil; tortoise; chipmunk; cricket; canary; ferret
        """,
    "cheeky": "dog; puppy; goat; monkey; fox; raccoon; crow; goose; magpie; donkey; piglet",
    "bucket": """
        bucket; pot; jug; vase; chair; lamp; basket; watering can; tin; broom; jar; bin;
        flowerpot; teapot; stool; ladder; coat stand; kettle; bottle; milk can; bowl;
        pile of books; cup; stack of plates; clock; globe; fish tank; candlestick; sugar bowl;
        paint pot; churn; barrel
        """,
    "jar": """
        jar; box; tin; bowl; bag; basket; bucket; pot; bottle; drawer; sack; jug; crate; teapot;
        cup; matchbox; suitcase; barrel; paper bag; shoebox; chest
        """,
    "saw": """
        hammer; saw; drill; pump; machine; engine; wheel; scissors; whisk; sewing machine;
        spinning wheel; bellows; file; mill
        """,
    "hole": """
        hole; ditch; bucket; pit; puddle; pond; well; stream; rain barrel; rabbit hole;
        muddy ditch; sack; trench; trap; sandpit
        """,
    "lamp": "lamp; candle; torch; lantern; night light; oil lamp; flashlight",
    "gust": """
        wind; storm; gale; snowstorm; blizzard; north wind; thunderstorm; hurricane; east wind;
        whirlwind; tempest; hailstorm
        """,
    "king": """
        king; queen; prince; princess; emperor; duke; duchess; giant; knight; ruler; baron; count;
        empress; sultan; earl; chieftain
        """,
    "wizard": """
        wizard; witch; magician; fairy; sorcerer; giant; dwarf; elf; gnome; hermit; genie; troll;
        goblin; alchemist; enchantress; druid
        """,
    "hour": "seven; eight; nine; ten; eleven; twelve; six; five; four; three; two",
    "contest": """
        race; contest; match; quiz; baking contest; boat race; football match; spelling contest;
        kite contest; swimming race; talent show; sack race; egg hunt; singing contest;
        snowman contest; chess match; bicycle race; drawing contest; relay race;
        sandcastle contest; three-legged race; cooking contest; pumpkin contest; skating contest;
        riddle contest; tug of war
        """,
    "cosy": """
        little; small; cosy; quiet; big; white; old; red; wooden; pretty; tall; blue; tiny;
        yellow; crooked; sunny; thatched; stone; brick; narrow; green; round; tidy; cheerful;
        pink; modest; whitewashed; draughty; rickety; timbered; spacious
        """,
    "flock": """
        sheep; cows; hens; goats; ducks; pigs; geese; ponies; horses; lambs; donkeys; turkeys;
        chickens; bulls; calves; piglets; llamas; bees; oxen; alpacas; cattle
        """,
    "race": """
        race; sack race; running race; big race; egg-and-spoon race; relay race; fun run;
        obstacle race; three-legged race; marathon; hurdle race; cross-country race; torch race;
        lantern race; spring race; pancake race; sprint; long run
        """,
    "drink": """
        milk; cocoa; hot chocolate; tea; soup; apple juice; peppermint tea; cider; lemonade;
        broth; honey milk; ginger tea
        """,
    "jewel": """
        ring; crown; key; cup; bell; apple; necklace; egg; coin; feather; sword; harp; mirror;
        star; spoon; comb; flute; rose; bracelet; goblet; lamp; helmet; shield; sceptre; horn;
        thread; amulet; dagger; bowl; casket; spindle; medallion; orb; chalice; lyre
        """,
    "jug": "jug; watering can; cup; bucket; bottle; teapot; pot; bowl; kettle; hose; mug; saucepan",
    "cart": """
        cart; car; van; bike; wagon; tractor; lorry; jeep; carriage; minibus; caravan; truck; taxi
        """,
    "age": "three; four; five; six; seven; eight; nine; ten; eleven; twelve",
    "count": """
        two; three; four; five; six; seven; ten; eight; twelve; nine; twenty; eleven; fifteen;
        thirty; thirteen; sixteen; fourteen; forty; eighteen; fifty; seventeen; nineteen;
        twenty-one; twenty-five; sixty; forty-two; thirty-three; seventy; ninety-nine; eighty
        """,
    "weekday": "Saturday; Sunday; Monday; Friday; Tuesday; Wednesday; Thursday",
    "month": """
        June; May; July; April; October; September; December; August; March; November; January;
        February
        """,
    "day": """
        1; 3; 2; 5; 12; 14; 7; 10; 20; 21; 4; 24; 30; 15; 8; 25; 17; 11; 9; 18; 6; 22; 16; 13; 28;
        19; 27; 23; 26
        """,
    "decade": """
        84; 68; 72; 91; 55; 96; 63; 79; 47; 88; 39; 58; 93; 26; 31; 75; 66; 87; 49; 52; 21; 44;
        37; 60; 70; 80; 90
        """,
    "hundred": """
        204; 066; 492; 785; 312; 650; 588; 431; 823; 741; 199; 276; 503; 617; 348; 870; 555; 123;
        909; 468; 701; 834; 392; 254
        """,
}

# Animals with a voice of their own; all others "squeaked".
VOICES = """
    dog barked, puppy yapped, cat purred, kitten mewed, duck quacked, duckling peeped,
    bird chirped, frog croaked, toad croaked, lamb bleated, sheep bleated, goat bleated,
    kid goat bleated, pig oinked, piglet grunted, hen clucked, chick cheeped, owl hooted,
    donkey brayed, pony neighed, foal whinnied, goose honked, gosling peeped, crow cawed,
    raven cawed, robin chirped, sparrow twittered, parrot squawked, calf mooed, dove cooed,
    pigeon cooed, cricket chirped, fox yelped, monkey chattered, bear cub growled,
    cockerel crowed, seagull screeched, canary trilled, seal barked, swan hissed,
    magpie cackled, jackdaw cawed, cockatoo squawked, penguin honked, llama hummed
"""

GIRLS = """
    Lily, Mia, Lucy, Anna, Sara, Emma, Lisa, Rosie, Amy, Zoe, Ella, Maria, Nora, Ruby, Daisy,
    Molly, Maya, Alice, Sophie, Clara, Eva, Grace, Ivy, Leila, Hana, Julia, Kim, Nina, Olivia,
    Polly, Tara, Wendy, Aisha, Bella, Carla, Dora, Elena, Fiona, Greta, Holly, Ines, Jasmine,
    Katie, Lola, Mei, Nadia, Priya, Rita, Sofia, Tina, Uma, Vera, Yara, Zara, Abigail,
    Beatrice, Chloe, Delia, Edith, Freya, Gemma, Hazel, Isla, Jenny, Kira, Lena, Matilda,
    Noor, Odette, Pia, Rachel, Sakura, Thea, Ursula, Violet, Willa, Yuki, Amara, Brigit,
    Celia, Diana, Esther, Flora, Gwen, Hilda, Irene, Joan, Keiko, Lakshmi, Mabel, Naomi, Olga,
    Pearl, Rosa, Saskia, Tilly, Valerie, Winnie, Xenia, Zuri, Agnes, Bianca, Camila, Daphne,
    Elif, Fatima, Gloria, Harriet, Ingrid, Josie, Karen, Lotte, Margot, Nell, Ottilie, Petra,
    Rhoda, Shirin, Tamsin, Una, Vivian, Yasmin, Adele, Bonnie, Cleo, Dina, Erika, Farah,
    Giulia, Heidi, Imogen, Jolene, Katya, Lucia, Martha, Nellie, Oona, Paloma, Rukmini, Susan,
    Trudy, Verity, Wilma, Zadie, Astrid, Blanca, Cora, Dalia, Eloise, Francesca, Ginny, Hope,
    Ida, Jana, Kaya, Lorna, Miriam, Nika, Olive, Paula, Rowena, Stella, Tessa, Valentina,
    Wanda
"""

BOYS = """
    Tom, Tim, Ben, Max, Sam, Jack, Leo, Tommy, Billy, John, Timmy, Bob, Adam, Joe, Noah,
    Peter, Oscar, Finn, Luke, Charlie, Henry, Daniel, Oliver, Jake, George, Omar, Harry, Alex,
    Felix, Hugo, Ravi, Sami, Toby, Will, Arthur, Bruno, Carlos, David, Eddie, Frank, Gus,
    Hassan, Ivan, James, Kenji, Liam, Marco, Nico, Otto, Paul, Ralph, Simon, Theo, Victor,
    Walter, Yusuf, Albert, Basil, Colin, Dylan, Elliot, Fred, Gabriel, Harvey, Isaac, Jamal,
    Karl, Lewis, Milo, Nathan, Owen, Pablo, Quentin, Robin, Stanley, Tariq, Umberto, Vincent,
    Wilfred, Xavier, Zach, Anton, Bernard, Caleb, Diego, Edgar, Fergus, Gilbert, Hector,
    Idris, Jonas, Kofi, Lars, Mateo, Ned, Olaf, Percy, Rafael, Sven, Tarun, Ulrich, Vikram,
    Wes, Yannick, Zeki, Ahmed, Boris, Cyril, Dmitri, Emil, Farid, Giles, Horace, Igor, Jasper,
    Kamal, Laurence, Magnus, Nils, Orlando, Pascal, Reuben, Sanjay, Thomas, Uri, Vasco,
    Wolfgang, Yuri, Alfie, Barnaby, Clement, Dominic, Ernest, Florian, Gareth, Humphrey,
    Ignatius, Joaquin, Kwame, Leonard, Mustafa, Neville, Osman, Pierre, Rupert, Sebastian,
    Tobias, Viktor, Winston, Zoltan, Ambrose, Benedict, Cedric, Duncan, Enzo, Francis, Graham,
    Hamish, Ismail, Jerome
"""

PETS = """
    Max, Buddy, Spot, Fluffy, Bella, Whiskers, Coco, Rex, Ginger, Pip, Patch, Snowy, Biscuit,
    Rusty, Peanut, Daisy, Shadow, Bubbles, Smudge, Sunny, Pepper, Ziggy, Mittens, Nibbles,
    Clover, Hoppy, Mocha, Pickles, Waffles, Muffin, Tiger, Cookie, Dusty, Honey, Socks,
    Button, Bramble, Pebble, Freckles, Oreo, Skipper, Domino, Marble, Toffee, Noodle, Sprout,
    Thistle, Velvet, Paddy, Bonbon, Crumpet, Misty, Barney, Blossom, Cinnamon, Dumpling,
    Flash, Gizmo, Hazelnut, Jellybean, Kipper, Lucky, Nutmeg, Olive, Pumpkin, Radish, Scamp,
    Truffle, Wobbles, Buttons, Cosmo, Dimples, Fidget, Inky, Jingle, Mango
"""

# Names put together from two or three parts; each part is drawn on its own, so the products make
# the long tail of words that a text shows once or twice.
COMPOUNDS: dict[str, tuple[str, ...]] = {
    "village": (
        """
        Willow, Green, River, Oak, Maple, Sun, Honey, Stone, Apple, Rose, Brook, Ash, Hazel,
        Elder, Silver, Fern, Meadow, Wood, Fox, Mill, Clover, Thorn, Birch, Swan, North, Hill,
        Cherry, Moss, Lark, Heather, Spring, Otter, Barley, Raven, Cloud, Bramble, Holly, Winter,
        Amber, Deer, Hare, Linden, Pebble, East, Crow, Badger, Lily, Copper, Rush, Summer, West,
        Alder, Gold, Heron, Snow, Robin, Frost, Wheat, Nettle, Salt, Plum, Wren, Rain, Merry,
        Beech, Cinder, Owl, Quince, Harbour, Kings
        """,
        """
        brook, field, ton, dale, wood, bridge, ford, hill, ville, bury, ham, port, well, side,
        mouth, ley, wick, gate, moor, haven, stead, vale, burn, worth, combe, ridge, pool, cliff,
        hurst, croft, stow, church, bank, thorpe, water, mere, shaw, leigh
        """,
    ),
    "surname": (
        """
        Brown, Wood, Hill, Green, Apple, Baker, Miller, Penny, Good, Bell, White, Thorn, Button,
        Fair, Hop, Honey, Whistle, Bird, Merry, Crab, Butter, Sweet, Long, Pepper, Gold, Winter,
        Plum, Barn, Cobble, Dobb, Finch, Grim, Hather, Ingle, Jolly, Kettle, Lamb, Marsh, Nettle,
        Old, Pump, Quill, Rum, Summer, Tumble, Under, Vine, Wether, Bottle, Candle, Drake, Elder
        """,
        """
        ton, wood, by, well, ley, son, worth, field, ford, ham, stone, berry, smith, water,
        bridge, kin, dale, hurst, croft, pot, day, lock, wright, leaf, shaw, tree, wick
        """,
    ),
    # Plants, creatures and characters that only exist in stories.
    "wonder_flower": (
        """
        moon, sun, star, snow, fire, silver, honey, silk, dew, bell, frost, cloud, gold, fairy,
        thunder, rain, milk, night, wind, cinder, pepper, sugar, sea, shadow, feather, velvet,
        bubble, button, lantern, glitter, candle, ginger, whisper, tinkle
        """,
        """
        flower, berry, bell, leaf, rose, lily, drop, blossom, root, weed, petal, fern, cup,
        thistle, moss, vine, nut, bush, bud, reed, cap, seed, wort, thorn, clover, grass, pod,
        bloom
        """,
    ),
    "wonder_beast": (
        """
        grumble, wobble, snuffle, fluff, tickle, mumble, giggle, bumble, puddle, wiggle, jumble,
        fizzle, rumble, twinkle, crumple, scribble, snooze, dribble, huddle, shuffle, muddle,
        bobble, nibble, pickle, cuddle, squiggle, grizzle, waffle, drizzle, wriggle, tangle,
        thimble, flutter, whistle, gobble, doodle, bramble, snicker, jiggle, marble, humble,
        quibble, tootle
        """,
        """
        saurus, beast, snout, bug, tail, foot, bear, bird, wump, moth, worm, hopper, puff, toad,
        beak, whisker, paw, horn, mouse, dragon, ling, ears, fish, nose, back, bat, pede, goose,
        sprite, cat
        """,
    ),
    "wonder_name": (
        """
        Pip, Tib, Bo, Mim, Fizz, Zu, Lu, Om, Ba, Nim, Wim, Ta, Do, Ru, Kel, Fa, Mo, Quil, Jo, El,
        Gri, Hum, Isa, Po, Sil, Thim, Vo, Yo, Zeb, Bri, Cor, Dun, Flo, Gal, Hob, Jin, Kri, Lem,
        Mar, Nar, Or, Pel, Ro, Sha, Tor, Ul, Var, Wen, Xan
        """,
        """
        be, di, li, bo, do, ri, lo, ma, na, zi, fi, ga, pe, to, ra, mi, la, ve, si, ne, ko, bu,
        lu, da, mo, pi, wi
        """,
        """
        kin, lina, bert, bell, na, nox, do, lo, dora, rick, mina, ster, zo, tta, wen, ric, la, by,
        mus, ra, dil, ffin, ggle, lius, nelle, bar, ton, phie, gus, ndra, stro, beth, mond,
        vander, lette, quin
        """,
    ),
    "magic_word": (
        """
        abra, hocus, ala, zim, shaz, bibbi, hula, mira, sala, ziggi, oola, wizza, kala, tara,
        bimba, fiddi, pata, runa, coco, ely, ipsi, lumi, voro, gari, tumba, nolo, quassi, exi,
        jabba, dilli
        """,
        """
        boo, dabra, zam, bim, bop, la, pocus, mari, lala, wim, tu, dum, ra, sim, gora, pala,
        neeni, fizz, ko, vanti, pum, lorum, dee, zora, bambo, tinka, rix, mon, sesi, vee
        """,
    ),
}

# Sounds: the letter in brackets is held for a while, "Wh[o]osh" becoming "Whoosh" or "Whooooosh".
SOUNDS = """
    Cr[a]sh, Spl[a]sh, B[o]om, Wh[o]osh, P[o]w, B[a]ng, Cl[i]ck, Th[u]mp, Sn[a]p, Z[o]om,
    Cr[e]ak, Pl[o]p, T[o]ot, Squ[e]ak, Cl[a]ng, Cr[a]ck, P[u]ff, D[i]ng, R[o]ar, Sw[i]sh,
    R[u]mble, B[u]zz, H[i]ss, Th[u]d, Wh[i]zz, Spl[o]osh, Cr[u]nch, H[o]ot, J[i]ngle, Fl[o]p,
    Kn[o]ck, B[e]ep, Ch[u]g, Sw[o]osh, Gr[o]wl, F[i]zz, Sl[u]rp, B[o]ing, D[o]ng, Pl[i]nk,
    Sp[l]at, Wh[u]mp, Cl[u]nk, T[i]ck, H[o]nk, Scr[e]ech, Z[i]p, R[a]ttle, P[i]ng, Kr[a]k,
    Spr[o]ing, Fl[u]mp, K[a]boom, Tr[i]ng, Br[r]m, Sk[i]d, Wh[i]rr, Gl[u]g, Sh[h]
"""
