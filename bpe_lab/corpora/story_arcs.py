"""Sentences of the generated stories and the orders in which they make a story.

One line of a beat is one way to tell it; the first ones are drawn most often. `{toy}` asks for any
word of that class, `{toy1}` for one that stays the same throughout the story, `{Toy}` for a capital
letter. `a` becomes `an` later, where the next word calls for it. The hero and the friend are
`{hero}` with `{he}`, `{him}`, `{his}` and `{friend}` with `{friend_he}`, `{friend_him}`,
`{friend_his}`; a grown-up outside the family is `{neighbour}` with `{neighbour_he}`.
"""
# ruff: noqa: E501 - one line is one way to tell a beat, however long

# Beats in the order of telling: `/` begins a new paragraph, `?` marks a beat told every other time.
ARCS: tuple[str, ...] = (
    "hero likes likes? / one_day_lost search search? where? / asked_for_help helper helper? / found thanks / end",
    "hero likes? / met_animal animal_trouble animal_trouble? / animal_saved animal_saved? animal_friend? / end",
    "hero friend likes? / want_same quarrel quarrel? / grown_up_words made_up / end",
    "hero likes? / outing on_the_way on_the_way? / saw saw? saw? / weather_turns? home / end?",
    "hero likes? / wish plan work work? / mishap try_again work? / success success? / end",
    "hero friend? / dark_night noise noise? fear / truth relief / end?",
    "hero friend? / shop_trip on_the_way? shop_goods shop_goods? buying? / shop_talk / home / end?",
    "hero friend / contest contest_start contest_run contest_run? / contest_end / cheering cheering? / end?",
    "hero likes? / new_in_village shy / kind_step together together? / end",
    "old_times old_times_trouble / old_times_quest magic magic? / old_times_end / moral?",
    "hero likes? / garden_plan garden_work garden_work? garden_wait / garden_grown / end?",
    "hero friend? pretend / pretend_play pretend_play pretend_play? / called_in / goodnight",
    "hero friend? / poorly / visit visit? gift / better / end?",
    "hero friend / party_plan party_work party_work? / party party_food party? / thanks_all / goodnight?",
    "letter_opening letter_body letter_body letter_body? letter_body? letter_end",
    "hero likes? / made_mistake hid_it / told_truth forgiven / moral",
    "hero collect collect_list collect_list? / collect_show asked_sum? / home? end?",
    "hero friend / snow_or_rain indoor indoor? / outdoor? / goodnight",
)

BEATS: dict[str, str] = {
    # --- beginnings ---
    "hero": """
        {Once} there was a {kind} {girl} named {hero}. {He} lived in a {cosy} house with {his} {mum1}.
        {Once} there was a {kind} {girl} called {hero}. {He} was {age} years old and loved {playing} and {playing}.
        {hero} was a {kind} {girl} who lived near the {place}. Every day {he} {moved} to the {place} to play.
        There was once a {girl} named {hero}. {He} was very {kind}, but sometimes {he} was also a little {grumpy}.
        In the village of {village1} lived a {kind} {girl} called {hero}. Everyone knew {him}, for {he} was always {playing}.
        {hero} was {age} years old. {He} had a {big}, {colour} {toy}, a {colour} {garment} and a very kind {mum1}.
        {hero} and {his} {mum1} lived in a {cosy} house in {village1}. It was house number {digits}, with a {colour} door.
        {hero} {surname} was a {kind} {girl}. {He} wanted to be a {job} when {he} grew up, just like {his} {mum1}.
        Far away, between {village} and {village}, there was a {quiet} farm. A {girl} called {hero} lived there with {count} {flock}.
        {Once} there lived a {kind} little {girl}. {His} name was {hero}, and {he} liked {animals} more than anything else.
        {hero} always wore a {colour} {garment}. It was {his} favourite one, because {his} {mum1} had made it.
        Do you know {hero}? {He} is the {kind} {girl} with the {colour} {garment} who lives behind the {place} in {village1}.
        """,
    "likes": """
        {hero} loved {his} {pretty} {toy1} very much. {He} took it everywhere.
        {His} favourite toy was a {colour} {toy1}. {He} had got it from {his} {mum1}.
        More than anything, {hero} liked {his} {toy1}. It was {pretty} and {colour}.
        {hero} could {play}, and {he} could {play}, but most of all {he} liked to {play}.
        {His} room was full of {toys}, {toys} and {toys}, but the {pretty} {toy1} was the best of all.
        At breakfast {he} {ate} {meal} and a {tasty} {treat}. Then {he} was ready for the day.
        {hero} had {count} {toys} and {count} {toys}. Only one thing was really {pretty}: {his} {toy1}.
        On {his} shelf stood a {colour} {toy1}, a little {beast} made of {material} and a {jar} full of {trinkets}.
        {He} knew the names of all the birds: the {bird}, the {bird} and even the {bird}.
        {He} was good at {game}, and {he} was even better at {game}.
        """,
    "friend": """
        {His} {relation} was called {friend}. They liked to play {game} together.
        One day {his} {relation} {friend} came to visit. "{Hello}, {hero}!" {laughed} {friend}.
        {hero} had a {relation} named {friend}. {friend} was {kind}, and {friend_he} always made {hero} laugh.
        {hero} and {friend} were friends. They played {game} every day after school.
        {friend} lived next door. {Friend_he} was a {kind} {friend_girl} with {colour} boots and a {pretty} {garment}.
        {hero} and {his} {relation} {friend} did everything together. They went {playing}, and they went {playing} too.
        Nobody made {hero} laugh like {friend}, {his} {relation}. {Friend_he} knew {digits} jokes about {beasts}.
        """,
    # --- a lost toy ---
    "one_day_lost": """
        {One_day}, {hero} could not find {his} {toy1}.
        {One_day}, {hero} went to the {place1} with {his} {toy1}. When {he} came home, the {toy1} was gone!
        {One_day}, {hero} wanted to play with {his} {toy1}, but it wasn't there.
        {One_day}, {he} left the {toy1} in the {room}. When {he} came back, it had gone.
        {One_day}, a cheeky {cheeky} took {his} {toy1} and ran away with it. {hero} was {very} {sad}.
        {One_day}, the {gust} was so strong that {hero} let go of {his} {toy1}. "{Oh_no}!" {he} {sighed}.
        {One_day}, {hero} {moved} all the way from the {place} to the {place}. Somewhere on the way {he} dropped {his} {toy1}.
        """,
    "search": """
        {He} {searched} under the {bed} and behind the {bed}, but it wasn't there.
        {He} {searched} in the {room} and in the {room}. There was only a {old} {trinket}.
        "Where is my {toy1}?" {asked} {hero}. {He} looked everywhere.
        First {he} {searched} behind the {bed}. Then {he} {searched} under the {bed}. No {toy1}!
        {hero} {searched} and {searched}. {He} found a {trinket}, {count} {trinkets} and a {old} {trinket}, but no {toy1}.
        {He} looked into a {jar}, lifted a {tool} and moved a {old} {bucket}. All {he} found was a {insect}.
        In the drawer were {trinkets}, {trinkets}, {trinkets} and {trinkets}. The {toy1} was not there.
        """,
    "where": """
        {hero} felt {sad}. {He} sat down and {sobbed}.
        "I can't find it," {sighed} {hero}. "I'm so {sad}!"
        {He} was {sad}, but {he} didn't give up.
        {hero} felt {very} {sad}. {His} {limb} hurt, and {he} wanted to go home.
        {hero} {sobbed}. Without the {toy1} {he} felt {sad} and a little {grumpy}.
        """,
    "asked_for_help": """
        {hero} went to {his} {mum1}. "Can you help me, please?" {he} {asked}.
        "Have you seen my {toy1}?" {hero} asked {friend}.
        {He} met {neighbour}, the {job1}. "What's the matter, {hero}?" {asked} {neighbour}.
        "Don't cry, {hero}," {said} {his} {mum1}. "We'll look for it together."
        "Why are you so {sad}, {hero}?" {asked} {friend}. "My {toy1} is gone," {sighed} {hero}.
        {He} wrote on a piece of paper: "Lost! One {colour} {toy1}. Please bring it to number {digits}."
        {neighbour}, the {kind} {job1} from {village}, stopped {neighbour_his} {cart}. "Has something happened?" {neighbour_he} {asked}.
        """,
    "helper": """
        "Let's think," was the answer. "Where did you have it last?" {hero} thought hard. "At the {place1}!"
        Together they {moved} to the {place1} and looked everywhere.
        They asked a {job}. They asked a {job}. They even asked the {job} with the {colour} {garment}.
        They took a {lamp} and a {tool} and went back to the {place1}.
        "I saw a {animal} with something {colour} near the {place1}," said a {job}. So off they went.
        They {searched} in the {wild}, and they {searched} behind the {bush}, until they were very tired.
        """,
    "found": """
        Then {hero} saw something {colour}. It was the {toy1}! It was right behind the {bush}.
        {Suddenly}, {hero} {laughed}, "{Wow}! There it is!" The {toy1} was under a {bush}.
        And there, next to the {bush}, lay the {toy1}. A {kitten} was sleeping on it!
        {Suddenly}, they saw a fat duck. It was sitting on the {toy1}, as if it were an egg.
        The {toy1} lay in the {wild}, right beside a {plant}. {hero} picked it up {quickly}.
        At the {place1}, a {kind} {job2} was waiting. "I think this {toy1} is yours," the {job2} said {kindly}.
        The {toy1} had fallen behind the {bush}, between a {trinket} and a {trinket}.
        """,
    "thanks": """
        "Thank you so much!" {laughed} {hero}. {He} was {very} {happy}.
        {hero} was so {happy} that {he} {cheered} and {cheered}.
        {He} hugged {his} {toy1} and felt {happy} again.
        "You're welcome," was the answer. "Next time, look behind the {bush} first!"
        To say thank you, {hero} gave away {count} {treats} and {his} best {trinket}.
        {hero} {mended} the {toy1}, for it had become a little dirty.
        """,
    # --- an animal in need ---
    "met_animal": """
        {One_day}, {hero} was walking in the {wild}. {He} saw a little {animal1}.
        {One_day}, {hero} heard a small sound behind a {bush}. It was a {animal1}!
        {One_day}, on the way to the {place}, {hero} met a {brown} {animal1}.
        {One_day}, {he} {moved} to the {place}. Next to the {bush} sat a {sad} {animal1}.
        {One_day}, a {brown} {animal1} stood in front of the door.
        {One_day}, {hero} was {playing} with {friend} when a little {animal1} came by.
        Near {village}, {digits} steps from the {place}, {hero} found a {sad} little {animal1}.
        """,
    "animal_trouble": """
        The {animal1} looked {sad}. "{Hello}, little {animal1}. Why are you {sad}?" {asked} {hero}.
        Its leg was hurt, and it could not walk. "You poor thing!" {sighed} {hero}.
        It was {sad} and hungry. It {voiced} and looked at {hero} with big eyes.
        The {animal1} was stuck between two {plants}. It {voiced} and {voiced}.
        "I can't find my way home," {sighed} the {animal1}. "I live in the {wild}, near the {plants}."
        The {animal1} {voiced}. It had lost its mother, and now it was {very} {sad}.
        It had fallen into a {hole}, and it was {very} {sad}. It {voiced} for help.
        A big {beast} had chased it through the {wild}, and it still trembled.
        """,
    "animal_saved": """
        {hero} ran home and got some {meal} and a {tasty} {treat}. The {animal1} ate everything.
        "Don't be afraid. I'll help you," said {hero} {kindly}. {He} took the {animal1} home {quickly}.
        {hero} made a bed out of straw and {garments}. The {animal1} slept there for {count} hours.
        {hero} took a {tool} and a {tool}. {He} worked {quickly}, and soon the {animal1} was free!
        {hero} and {his} {mum1} took the {animal1} to the vet. "It'll be fine in {count} days," {said} the vet.
        {He} covered the {animal1} with {his} {colour} {garment} and ran to {village} to find help.
        With a {tool}, a long {tool} and a lot of patience, {hero} got the {animal1} out. It {voiced} and shook itself.
        {hero} gave it {crops}, {crops} and a few {crops}. The {animal1} ate it all.
        """,
    "animal_friend": """
        {hero} named the {animal1} {pet1}. From that day on, {pet1} and {hero} were best friends.
        "I'll call you {pet1}," {said} {hero}. {pet1} {voiced} and licked {his} {limb}.
        "Can I keep it?" {asked} {hero}. "Yes," said {his} {mum1}, "but you must feed it every day."
        {hero} called it {wonder_name1}. It was a long name for a little {animal1}, but {wonder_name1} didn't mind.
        {pet1} the {animal1} followed {him} everywhere, even to the {place} and the {place}.
        """,
    # --- quarrel ---
    "want_same": """
        {One_day}, they found a {pretty} {toy1} at the {place}. "It's mine!" {said} {hero}. "No, it's mine!" {said} {friend}.
        {One_day}, {hero} and {friend} both wanted to play with the same {toy1}.
        {One_day}, {friend} brought a {colour} {toy1}. {hero} wanted to have it too.
        {One_day}, {his} {mum1} made one big {cake1} for both of them. "I want the bigger piece!" {said} {hero}.
        {One_day}, {hero} wanted to play {game}, but {friend} wanted to play {game}.
        {One_day}, they were building a {big} tower out of boxes and {trinkets}. Each of them wanted to put on the last {trinket}.
        """,
    "quarrel": """
        {hero} pulled, and {friend} pulled. They were both {sad}.
        "You never share!" {sighed} {friend}. "That's not fair!" {sighed} {hero}.
        "Go away!" shouted {hero}. {friend} was {sad} and {moved} home.
        They shouted so loudly that a {animal} ran away and {count} {birds} flew up.
        {hero} turned {his} back and {sobbed}. {friend} sat behind the {bush} and {sobbed} too.
        {friend} threw a {trinket}, and {hero} threw a {trinket}. Then something broke.
        """,
    "grown_up_words": """
        Then {his} {mum1} came. "You can both have fun if you take turns," said {his} {mum1}.
        "Sharing is more fun than shouting," {said} {neighbour}, who was working in {neighbour_his} garden.
        "Do you know what good friends do?" {asked} {his} {mum1}. "They listen."
        "When I was little, I lost a friend over a {trinket}," said {neighbour} {kindly}. "Don't do what I did."
        "Half a {treat} with a friend tastes better than {count} {treats} alone," {said} {his} {mum1}.
        "You may have {count} {toys}," {said} {neighbour}, "but you won't find {count} friends like that."
        """,
    "made_up": """
        {hero} looked at {friend}. "I'm sorry," {he} said. "I'm sorry too," said {friend}.
        So they took turns. First {hero} played, and then {friend} did. It was a lot of fun!
        They thought about it. Then they {cheered} and were friends again.
        {hero} shared {his} {treat} with {friend}, and {friend} gave {him} a {pretty} {trinket}.
        They shook hands, had some {meal} and played {game} until it was dark.
        {hero} painted a {colour} {beast} for {friend}, and {friend} painted a {colour} {beast} for {hero}.
        """,
    # --- an outing ---
    "outing": """
        {One_day}, {hero} and {his} {mum1} went to the {place1}.
        {One_day}, {hero} went to the {place1} with {friend}. They took {meal}, {treats} and a {toy}.
        {One_day}, {his} {mum1} said, "Let's go to the {place1}!" {hero} was {very} {happy}.
        {One_day}, they took the {bus} to {village}. It was {count} miles away.
        {One_day}, the whole class went to see the {event} in {village}. There were {digits} children.
        {One_day}, {hero} put on {his} {colour} {garment} and {moved} to the {place1} with {his} {mum1}.
        {One_day}, {hero} and {friend} {moved} {quickly} to the {place1}. Far off they could see {village} and the {quiet} {wild}.
        """,
    "on_the_way": """
        On the way, they saw a {vehicle}, a {vehicle} and a {colour} {vehicle}.
        They {moved} past the {place} and over an old bridge.
        They sang a song about a {kind} {beast} and a {kind} {beast}.
        "Are we there yet?" {asked} {hero}. "Not yet," {laughed} {his} {mum1}. "It's {digits} more steps."
        The road was {hard}, but {hero} didn't mind. {He} counted {digits} {plants} and {digits} {animals}.
        A sign said "{village} {count} miles". "That's {very} far!" {said} {hero}.
        They met {neighbour}, the {job1}, with {neighbour_his} {instrument}. {Neighbour_he} played a merry tune.
        They {moved} past the house of {neighbour}. The door had the number {digits} on it.
        """,
    "saw": """
        They saw a {beast} and a {beast}. "{Wow}!" {laughed} {hero}. "Look at its {feature}!"
        There were {animals}, {animals} and even a {brown} {animal}.
        {hero} saw a {colour} butterfly. It sat on a {plant} and {shone} in the sun.
        In the water swam {sea_creatures}, {sea_creatures} and a {big} {sea_creature}.
        {hero} found a {trinket}, a {old} {trinket} and {count} {trinkets}. {He} put them into a {jar}.
        A {bird} called, and a {bird} answered from the {wild}.
        Under a {bush} lived a {insect}, {count} {insects} and a {big} {insect}.
        A {job} showed them how to {mend} a {tool}. It was {hard}, but {hero} liked it.
        The {plants} {grew} next to the {plants}. Everything {shone}.
        One cloud looked like a {beast}, one looked like a {vehicle}, and one looked like a {tool}.
        A {colour} {wonder_flower1} {grew} between the {plants}. "A {wonder_flower1} brings luck," {said} {neighbour}.
        Somebody was playing the {instrument}, somebody was playing the {instrument}, and {count} people danced.
        """,
    "weather_turns": """
        {Suddenly}, it began to rain. "Quick, under the {bush}!" {said} {hero}.
        Then the sky turned dark. {Sound}! went the thunder, and they ran home {quickly}.
        The {gust} {howled} and blew over a {bucket}. It was time to go.
        {Suddenly}, the sun came out again, and everything {shone}.
        It got cold, and {hero} put on {his} {garment}.
        """,
    "home": """
        In the evening, {hero} and {his} {mum1} went home. They were tired but {happy}.
        At home, they had {meal} and {tasty} {treats}.
        {hero} came home with a {old} {trinket} and a big smile.
        "Did you have fun?" {asked} {his} {mum1}. "Yes! It was the best day ever," {said} {hero}.
        They {moved} home, {ate} some {meal} and talked about the {beasts} and the {birds}.
        When they were home again, {hero} told everybody about the {place}, the {job} and the {pretty} {trinket}.
        """,
    # --- making something ---
    "wish": """
        {hero} wanted to make a {pretty} {toy1}.
        {He} had a dream. {He} wanted to build a {big} {vehicle1}, all by {himself}.
        {hero} wanted to bake a {tasty} {cake1} for {his} {mum1}.
        {hero} wanted to make a {pretty} present for {neighbour}, the {job1}.
        {hero} wanted to sew a {colour} {garment1} for {friend}.
        More than anything, {hero} wanted to win the {contest} in {village1} with a {beast} made of {material}.
        """,
    "plan": """
        "I can do it!" {he} {said}. {He} took a {tool}, a {tool} and some {material}.
        {One_day}, {he} asked {friend} for help. "Of course I'll help you!" {laughed} {friend}.
        {One_day}, {he} began. {He} needed {material}, {material}, {count} {trinkets} and a {tool}.
        {His} {mum1} gave {him} a {tool}. "Be careful with it," said {his} {mum1}.
        {hero} drew a plan. It had {count} {trinkets} on the left and a {big} {trinket} on the right.
        "You'll need a {tool}, a {tool} and {digits} {trinkets}," {said} {neighbour}, the {job1}.
        """,
    "work": """
        {He} worked {quickly} all morning. It was {hard} work.
        {hero} {mended} this and {mended} that. {His} {limb} hurt, but {he} didn't stop.
        {He} {held} a {tool}, and {friend} {held} a {tool}.
        {Sound}, {sound}! went the {saw}. {hero} worked until the sun went down.
        First it was too big. Then it was too small. {hero} tried again and again.
        {He} used {count} {trinkets}, some {material} and a bit of {material}. Nothing was wasted.
        "Pass me the {tool}, please," {said} {hero}. "No, not that {tool}! The {big} one."
        """,
    "mishap": """
        {Suddenly}, there was a loud noise. {Sound}! Everything fell down. {hero} felt {sad}.
        "{Oh_no}!" {sighed} {hero}. It was broken.
        A {animal} ran through the {room} and {toppled} the {bucket} over. What a mess!
        But it did not work. {hero} was {sad}. "I'll never do it," {he} {sighed}.
        {Suddenly}, the {bucket} slipped and landed on {his} {limb}. "{Oh_no}!" cried {hero}.
        {He} had forgotten the {trinkets}! {Sound}, it went, and came apart into {count} pieces.
        """,
    "try_again": """
        "Don't give up," said {his} {mum1} {kindly}. "Try again."
        {hero} took a deep breath. Then {he} tried again, and this time {he} was {very} careful.
        "Let's do it together," {said} {friend}. So they began again.
        "I broke {digits} {tools} before I was a good {job}," {laughed} {neighbour}. "Try it with {material}!"
        {He} rested a little, {ate} a {treat}, and {mended} everything {quickly}.
        """,
    "success": """
        At last it was ready. It was {pretty}, and {hero} was {very} {happy}.
        "{Wow}! You did it!" {laughed} {friend}. They danced all around the {room}.
        {Suddenly}, it worked! {hero} {cheered}. {He} was so {happy}.
        Everyone came to look at it. "It's {pretty}!" {said} {neighbour}, the {job1}.
        It was {pretty}, it was {colour}, and it was all {his} own work. {hero} felt {happy}.
        People came from {village} and even from {village} to see it. {Count} of them wanted one too.
        """,
    # --- a dark night ---
    "dark_night": """
        One night, {hero} lay in bed. It was dark, and the moon {shone} through the window.
        One {stormy} night, {hero} could not sleep.
        One night, {hero} and {friend} slept in the {room}. They had a {lamp}, a {toy} and {count} {treats}.
        Late one {weekday} night, the {gust} {howled} around the house. {hero} held {his} {toy} tight.
        On the night of {month} {day}, {hero} woke up and looked at the clock. It was {hour} o'clock.
        """,
    "noise": """
        {Suddenly}, {he} heard a {spooky} sound. {Sound}! What was that?
        Something {crashed} behind the {bed}. It was a {spooky} noise.
        {Sound}, {sound}, it went. The noise came from the {room}.
        {Sound}! Something {spooky} {crashed} in the {room}, and then it {crashed} again.
        "Did you hear that?" {he} {sighed}. It sounded like a {beast}, or like {digits} {insects} in a {jar}.
        There was a strange shadow on the wall. It had a {body_part} like a {beast} and a {body_part} like a {beast}.
        """,
    "fear": """
        {hero} was {very} {afraid}. {He} hid under {his} blanket and {sobbed}.
        "It's a {beast}!" {sighed} {hero}. "It'll eat us all!"
        {He} wanted to call {his} {mum1}, but no sound came out.
        "Maybe it's a {wonder_beast1}," {he} thought. "A {wonder_beast1} has a {colour} {body_part} and eats {garments}!"
        {hero} was {afraid}, but {he} was also brave. {He} took a {tool} and tiptoed to the {room}.
        {He} counted to {digits}. Then {he} counted to {digits}. It didn't help.
        """,
    "truth": """
        {His} {mum1} came with a {lamp}. It was only a {kitten1}! It had {toppled} a {bucket} over.
        {He} turned on the light. It was just the {bucket} next to the {bed}.
        It was only the {gust}. It pushed the door of the {room} open and shut, open and shut.
        And what was it? A {brown} {kitten1}, which was just as {afraid} as {hero}.
        "It's only me!" {laughed} {friend}. "I was looking for the {meal}. I'm so hungry!"
        There was no {beast}. There was a {bucket} on top of a {bucket}, and a {kitten1} was playing with them.
        """,
    "relief": """
        {hero} laughed. "I'm not {afraid} any more," {he} {said}.
        "There is nothing to be afraid of," said {his} {mum1} {kindly}. Soon {hero} was asleep.
        They both {cheered}, and then they drank some warm {drink}.
        {hero} drank some milk and went back to bed. Now {he} was {happy}.
        From then on, {hero} slept with a little {lamp} next to the {bed}.
        """,
    # --- shopping ---
    "shop_trip": """
        {One_day}, {hero} went to the market with {his} {mum1}. They needed {meal} and {crops}.
        {One_day}, {his} {mum1} gave {him} {count} pennies. "Please get some {meal} and {count} {crops}."
        {One_day}, {hero} had saved {count} pennies. {He} {moved} to the shop of {neighbour}.
        {One_day}, {hero} and {friend} went to the shop for {treats}.
        {One_day}, a new shop opened in {village1}. It belonged to {neighbour}, who used to be a {job}.
        """,
    "shop_goods": """
        There were {crops}, {crops} and {tasty} {treats}.
        The shop had {toys}, {toys}, {trinkets} and a {pretty} {toy1} in the window.
        They saw fresh {crops}, {tasty} {treats} and a {big} basket of {crops}.
        On the shelves stood {tools}, {tools} and {tools}. A {colour} {toy1} hung above the door.
        You could buy {costumes} there, and {tools}, and {instruments}, and even {material} and {material}.
        In the window there was a {instrument}, a little {beast} made of {material}, {digits} {trinkets} and a {toy1}.
        "We've been here since 19{decade}," {said} {neighbour}. "My {mum} sold {tools} and {toys} in this shop."
        A {trinket} was {count} pennies, a {treat} was {digits} pennies, and a {tool} was {digits} pennies.
        """,
    "buying": """
        "How much is the {toy1}?" {asked} {hero}. "It's {digits} pennies," {said} {neighbour}.
        "I'd like {count} {crops} and a {treat}, please," {said} {hero}.
        {He} counted {his} coins. {He} had only {count}. It was not enough.
        "{Digits} and {digits}, and {digits} more," counted {neighbour}. "You're polite, so I'll give you a {treat} as well."
        """,
    "shop_talk": """
        "You are a good {girl}," said {neighbour}. "Take this {trinket} as a present." "Thank you!" {laughed} {hero}.
        "Can I have the {toy1}, please?" {asked} {hero}. "Not today," said {his} {mum1}. {hero} was {sad}, but {he} said, "All right."
        "If you help me with the {tools}, you can have the {toy1}," {said} {neighbour}. So {hero} {mended} {count} {tools}.
        "What's that?" {asked} {hero}. "That's a {tool} from {village}," {said} {neighbour}. "It's {digits} years old."
        {hero} saw a {sad} {child} outside. {He} bought a {tasty} {treat} and gave half of it away.
        """,
    # --- contests ---
    "contest": """
        {One_day}, there was a {race1} in {village1}. {hero} and {friend} wanted to win.
        {One_day}, {hero} and {friend} had a race to the {place}. "I'm faster than you!" {laughed} {friend}.
        {One_day}, a {job} put up a sign: "{Race1} in {village1}! The prize is a {colour} {toy1}."
        {One_day}, the children of {village1} ran against the children from {village}.
        {One_day}, {digits} children came to the {race1}. {hero} wore number {digits}, and {friend} wore number {digits}.
        """,
    "contest_start": """
        "Ready, steady, go!" {said} the {job}. {hero} ran {quickly}, and {friend} ran {quickly} too.
        {Sound}! That was the sign, and {count} children began to run.
        "One, two, three!" {said} {neighbour}, the {job1}, and off they went.
        A {job} waved a {colour} {garment}, and everybody ran.
        """,
    "contest_run": """
        {friend} {moved} past the {place}, and {hero} {moved} past the {place}.
        {hero} was first, but then {he} fell and hurt {his} {limb}. "{Oh_no}!" {he} {sighed}.
        A {animal} ran across the field. {Sound}! {friend} fell over it.
        {name} lost a {garment}, {name} fell over a {bucket}, and {name} ran the wrong way.
        After {count} minutes nobody knew who was first. Everybody shouted and {cheered}.
        """,
    "contest_end": """
        {friend} stopped and helped {hero}. They crossed the line together, hand in hand.
        In the end, {hero} won, and {friend} clapped. "You were great!" {laughed} {friend}.
        In the end, {name} won. {hero} was {sad} at first, but then {he} said, "Well done!"
        {hero} and {friend} came in at the very same moment. "Then you both win!" {said} the {job}.
        They came last of all, but they had laughed more than anybody else.
        """,
    "cheering": """
        The prize was a {colour} {toy}. They shared it.
        Everybody {cheered}, and there were {treats} and {meal} for all.
        {neighbour}, the {job1}, gave them a little {beast} made of {material}. They were {happy}.
        Their names stood in the paper: {hero} {surname}, {friend} {surname}, {name} {surname} and {name} {surname}.
        "Next year I'll win," {laughed} {friend}, and they both {cheered}.
        """,
    # --- a new child ---
    "new_in_village": """
        {One_day}, a new {friend_girl} came to school. {Friend_his} name was {friend}.
        {One_day}, a family from {village} moved into house number {digits}. They had a {friend_girl} called {friend}.
        {One_day}, {friend} came to live in {village1}. {Friend_he} didn't know anybody.
        "This is {friend} {surname}," {said} the teacher. "{Friend_he} comes from {village}, which is {count} miles away."
        """,
    "shy": """
        {friend} was {very} {sad}. {Friend_he} sat alone under a tree.
        {friend} looked {sad} and didn't say a word. {Friend_he} only hugged {friend_his} {toy}.
        Nobody played with {friend}, because {friend_he} wore a {colour} {garment} and didn't like to talk.
        The others played {game}, but {friend} just looked on and {sobbed}.
        """,
    "kind_step": """
        {hero} {moved} over. "{Hello}, I'm {hero}. Do you want to play {game}?" {he} {asked}.
        {hero} gave {friend} half of {his} {treat}. "{Hello}," {he} {said}. "Do you like {crops}?"
        "I like your {toy}," said {hero} {kindly}. {friend} smiled. "It's from {village}," {friend_he} {said}.
        "In {village} we say '{magic_word}' for 'hello'," {said} {friend}. "{Magic_word}!" {laughed} {hero}.
        "I've got {count} {insects} in a {jar}," {said} {hero}. "Do you want to see them?"
        """,
    "together": """
        They played {game} all day. {friend} wasn't {sad} any more.
        {friend} showed {hero} how to {play}, and {hero} showed {friend} how to {play}.
        Soon they {cheered} together as if they had always been friends.
        After school they {moved} to the {place} and looked for {trinkets} and {sea_creatures}.
        {friend} knew all about {beasts} and {birds}, and {hero} knew all about {vehicles} and {instruments}.
        """,
    # --- old tales ---
    "old_times": """
        {Long_ago} there was a {kind} {king1}. The {king1} lived in a castle made of {material} in the land of {wonder_name1}.
        {Long_ago} there lived a little {wonder_beast1} called {wonder_name2}. It had a {colour} {body_part} and a big {body_part}.
        {Long_ago} a {kind} fairy named {wonder_name2} lived under a {plant} in the {wild}.
        {Long_ago} there was a {big} dragon. Its name was {wonder_name2}, and it was very {kind}.
        {Long_ago} a {kind} {wizard1} lived in a {quiet} tower near {village1}. The name of the {wizard1} was {wonder_name2}.
        In the year 1{hundred}, a ship came to the land of {wonder_name1}. On it were {digits} {figures} and one {sad} {animal}.
        """,
    "old_times_trouble": """
        Every night something {crashed} in the {wild}, and nobody could sleep.
        But the people of {village1} were {sad}, because there was no {meal} left.
        One day, the {colour} {wonder_flower1} stopped blooming, and nobody knew why.
        "I am so {sad}," came a {spooky} voice from behind a {bush}. "I've lost my golden {jewel1}!"
        A huge {wonder_beast2} had come from the {wild}. It {ate} {garments}, {tools} and even {vehicles}!
        The {king1} was {sad}. Not even {digits} {figures} could find the golden {jewel1} of {wonder_name}.
        """,
    "old_times_quest": """
        So a {kind} {girl} named {hero} took a {tool} and a {old} {trinket} and walked into the {wild}.
        A {kind} {animal} named {wonder_name} said, "I'll go!" It walked for {count} days and {count} nights.
        "You must go to {wonder_name}," {said} a {bird}. "Take a {wonder_flower}, and don't look back."
        {hero}, a {kind} young {job}, was not afraid. {He} {moved} past {village} and {village}, until {he} came to a {quiet} cave.
        The way was {hard}. It went through the {wild}, over the hills of {wonder_name} and around the lake of {wonder_name}.
        """,
    "magic": """
        "{Magic_word}!" said a {spooky} voice. {Sound}! And there stood a {wonder_beast}.
        There {grew} a {wonder_flower}, a {wonder_flower} and a whole field of {colour} roses. Everything {shone}.
        "Say '{magic_word} {magic_word}' and wave a {trinket}," {said} a {kind} {wizard}.
        "{Magic_word}, {magic_word}, {magic_word}!" It was the old spell of {wonder_name}, and it worked at once.
        In the dark something {shone}. It was a golden {jewel1}! A {colour} {wonder_beast} was sitting on it.
        A {kind} {wizard} gave them three wishes. The first was for {meal}, the second was for {treats}, and the third was for peace.
        """,
    "old_times_end": """
        From that day on, everybody was {happy}, and they had a big {event} every year.
        It turned out that a {wonder_beast1} had done it all. It was not bad, only {sad}. So they gave it {meal} and {tasty} {treats}, and it {cheered}.
        The people {cheered} for {count} days. They danced with {figures}, {beasts} and {animals}.
        And if nobody has moved it, a golden {jewel1} still lies in the castle of {wonder_name}, next to a {wonder_flower}.
        "Thank you!" cried the people of {village1}. They put up a big statue made of {material}.
        """,
    # --- gardens ---
    "garden_plan": """
        {One_day}, {hero} found {count} {colour} seeds. "Let's plant them!" {said} {his} {mum1}.
        {One_day}, {neighbour} gave {hero} a seed. "It'll be a {wonder_flower1}," {neighbour_he} said {kindly}.
        {One_day}, {hero} wanted to have {his} own garden with {crops}, {crops} and {plants}.
        In {month}, {hero} and {friend} planted {digits} {crops} and {digits} {plants}.
        """,
    "garden_work": """
        {He} dug a {big} hole with a spade and watered it with a {jug}.
        {He} worked {quickly}. {Count} {insects} and a {bird} watched {him}.
        A {animal} came and wanted to eat the leaves, so {hero} put a fence around them.
        {Digits} {insects} came, then a {insect}, and then a {big} {insect}. "Shoo!" cried {hero}.
        """,
    "garden_wait": """
        {He} waited and waited. Every morning {he} looked, but there was nothing to see.
        "When will it grow?" {asked} {hero}. "You need to be patient," {said} {his} {mum1}.
        First it was {sunny}, and then it was {sunny}. Nothing happened for {count} days.
        "It needs sun, water and time," {said} {neighbour}, who had once been a {job} in {village}.
        """,
    "garden_grown": """
        One morning, there was a little green leaf! It grew and grew. {hero} was {happy}.
        Then the {plants} {grew}, and the {crops} too. {hero} picked {digits} {crops} and made a {tasty} {cake}.
        At the end of {month}, a {colour} {wonder_flower1} stood there. Even {neighbour} had never seen a {wonder_flower1} like that.
        In {month} they had so many {crops} that they gave a basket to {neighbour}, a basket to {friend} and {digits} {crops} to the school.
        """,
    # --- pretending ---
    "pretend": """
        {One_day}, {hero} put on a {garment} and a {pretty} {costume}. "I'm a {figure1}!" {he} {said}.
        {One_day}, {hero} and {friend} dressed up. {hero} was a {figure1}, and {friend} was a {figure2}.
        {One_day}, {hero} found a {big} box in the {room}. "It's not a box," {he} {said}. "It's a {vehicle1}!"
        {One_day}, it was raining outside, so {hero} built a castle out of {garments}, a {tool} and {count} chairs.
        """,
    "pretend_play": """
        {hero} sailed to the land of {wonder_name}, where {beasts} and {figures} lived.
        "Look, a {beast}!" {laughed} {hero}. It was only a {animal}, but it looked {very} dangerous.
        {He} fought against {count} {figures} with a {tool}. {Sound}, {sound}!
        "Give me your {trinkets}!" {said} {friend}. "Never!" {laughed} {hero} and {held} {his} {tool}.
        On the moon lived a {wonder_beast}, which played the {instrument} with its {body_part}.
        There was a treasure under the {bed}: {count} {trinkets}, {digits} {trinkets} and a {old} {trinket}.
        Captain {hero} counted {digits} {sea_creatures} and {digits} {sea_creatures}. "Turn the ship around!" {he} {said}.
        """,
    "called_in": """
        "Dinner is ready!" called {his} {mum1}. There was {meal} with {crops}.
        Then {his} {mum1} called, "Time for bed, little {hero}!"
        "Even a {figure} needs a bath," {laughed} {his} {mum1}.
        Then the castle was a box again, and the sword was just a {tool}. It was time to tidy up.
        """,
    "goodnight": """
        That night, {hero} dreamed of {beasts} and {figures}.
        "Good night, {hero}," said {his} {mum1}. {hero} closed {his} eyes and slept.
        {He} told {his} {toy} all about it, and then {he} fell asleep.
        {hero} dreamed that {he} was a {job} in {village}, with a {colour} {garment} and {digits} {animals}.
        Outside a {bird} sang, the moon {shone}, and all was quiet in {village1}.
        """,
    # --- ill ---
    "poorly": """
        {One_day}, {hero} was ill. {His} {limb} hurt, and {his} {limb} was hot.
        {One_day}, {hero} fell off a {bike} and hurt {his} {limb}. {He} had to stay in bed.
        {One_day}, {he} woke up with {digits} red spots. "You must stay at home," said Doctor {surname}.
        {One_day}, {hero} had eaten {count} {treats}, and now {his} tummy hurt. {He} felt {very} {sad}.
        """,
    "visit": """
        {friend} came to visit. "{Hello}, {hero}! How are you?" {friend_he} {asked}.
        {neighbour}, the {job1}, looked in at the door. "I heard that you're ill," {neighbour_he} said {kindly}.
        {His} {mum1} read {him} a story about a {beast} who wanted to be a {job}.
        {friend} came with {count} {toys} and stayed until {hour} o'clock.
        """,
    "gift": """
        "I've got something for you," {said} {friend}. It was a {colour} {toy}!
        There was a basket with {meal}, {crops} and a {tasty} {treat}.
        Out of a basket came a {kitten1}! It sat down on the bed, and {hero} {cheered}.
        On the card was a {colour} {beast} with a {instrument}. "Get well soon!" it said.
        "Take {count} spoons of {wonder_flower} tea a day," {said} {neighbour}. It smelled of {crops} and {crops}.
        """,
    "better": """
        Soon {hero} felt better. {He} {cheered} and {cheered}.
        After {count} days {hero} was well again and {moved} to the {place}.
        "Laughing is the best medicine," {laughed} {his} {mum1}.
        {hero} was {happy}. It's good to have friends when you are {sad}.
        """,
    # --- parties ---
    "party_plan": """
        It was nearly the birthday of {friend}. "Let's make a {event1}!" {said} {hero} to {his} {mum1}.
        {One_day}, {hero} and {friend} wanted to give a {event1} for {neighbour}, the {job1}.
        On {month} {day}, {hero} would be {age}. "I'd like a party with {figures} and {beasts}," {he} {said}.
        {One_day}, {village1} was {digits} years old. There was to be a big {event1} at the {place}.
        """,
    "party_work": """
        They wrote letters to {name}, {name}, {name} and {name}.
        They baked {cakes}, cut out {digits} {colour} {trinkets} and decorated the {room}.
        {hero} hung up {trinkets} and {trinkets}, and {friend} painted a {big} {beast} on a piece of {material}.
        They needed {count} {tools}, {count} {tools}, {digits} {treats} and lots of {meal}.
        "Who will play the {instrument}?" {asked} {friend}. "{name} {surname} will," {said} {hero}.
        """,
    "party": """
        When the day came, everybody {cheered}. {name} came as a {figure}, and {name} came as a {figure}.
        They played {game}, and then they played {game}. {name} won {count} times.
        {name} played the {instrument}, {name} played the {instrument}, and all the others {cheered}.
        There were four presents: a {toy}, a {toy}, a {garment} and a {pretty} {trinket}.
        {Suddenly}, the lights went out. "{Wow}!" {laughed} the children, for there stood a cake with {count} candles.
        """,
    "party_food": """
        There were {tasty} {treats}, {tasty} {treats} and {meal}. {hero} {ate} {count} {treats}.
        Everyone {ate} {treats} with {meal}, and the {animal} ate the rest.
        "May I have a {treat}?" {asked} {name}. "You may have {count}," {laughed} {hero}.
        {neighbour} had brought a {tasty} {cake}, which {neighbour_he} had made with {crops}, {crops} and milk.
        """,
    "thanks_all": """
        "This is the best {event1} ever!" {said} {friend}. "Thank you, {hero}."
        At {hour} o'clock the last guests {moved} home. Everyone was {happy}.
        When it was over, {hero} and {friend} washed the cups and ate the last {treat}.
        """,
    # --- letters ---
    "letter_opening": """
        "Dear {friend}," wrote {hero}. "I'm at the {place1} in {village1} with {Mum1}, and it's {sunny}.
        "Dear {Mum1}," wrote {hero} on {month} {day}. "We're in {village1} now. The {place1} is very pretty.
        "Dear {neighbour}," wrote {hero}. "Thank you for the {toy}! I'm {very} {happy}.
        "Dear {friend}," wrote {hero}. "We've got a new {kitten1}! It's called {pet1}, and it's very {kind}.
        """,
    "letter_body": """
        Today I saw a {beast}, a {beast} and {digits} {birds}. Do you like {beasts}?
        We went to {village} by {bus}. It was {hard}, but I wasn't {sad}.
        I've found a {trinket}, {count} {trinkets} and a little {beast} made of {material}. I'll show you everything.
        We have {meal} and {treats} every day. Yesterday I {ate} {count} {treats}!
        My friends here are called {name}, {name} and {wonder_name}. We play {game}, and I've learned to {play}.
        There's a {job} here who can play the {instrument} and knows {digits} songs.
        In the garden {grew} a {colour} {wonder_flower}. I've put a leaf of it into this letter.
        """,
    "letter_end": """
        I miss you. Love from {hero}."
        Please write soon! Your {hero}."
        When I come home, we'll play {game}. I can't wait! Your friend {hero}."
        PS: Don't forget to feed {pet1}! Your {hero}."
        That's all for now. A big hug from {hero} {surname}, number {digits}, {village1}."
        """,
    # --- honesty ---
    "made_mistake": """
        {One_day}, {hero} was playing {game} in the {room}. {Sound}! The favourite {bucket1} of {his} {mum1} fell down.
        {One_day}, {hero} ate all the {treats} that were for {friend}.
        {One_day}, {hero} took the {colour} {toy1} of {friend} without asking. Then {he} lost it in the {wild}.
        {One_day}, {hero} forgot to shut the gate, and {digits} {flock} ran away.
        {One_day}, {hero} painted a {beast} on the wall of the {place}. It was {colour}, and it was very big.
        """,
    "hid_it": """
        {He} was {sad}. What would {his} {mum1} say? {He} hid behind the {bed}.
        "It wasn't me," {sighed} {hero}. "It was the {animal}." But {he} felt {very} {sad}.
        {hero} didn't tell anybody. That night {he} couldn't sleep.
        All day long {he} thought of it. Even the {treats} didn't taste good.
        """,
    "told_truth": """
        {Suddenly}, {hero} {said}, "It was me. I'm so sorry." {He} {sobbed}.
        In the end, {he} went to {his} {mum1} and told the truth. It was hard, but {he} did it.
        "I have to tell you something," said {hero} {shyly}. Then {he} told everything.
        {He} took {his} {digits} pennies and {his} best {toy} and went to say sorry.
        """,
    "forgiven": """
        "Thank you for telling me," said {his} {mum1} {kindly}. "Everybody makes mistakes."
        "I was {sad}," was the answer, "but now I'm proud of you. Let's {mend} it together."
        Together they made it good again. It took them {count} hours.
        "When I was small, I did something like that {count} times," {laughed} {neighbour}.
        """,
    # --- collecting and counting ---
    "collect": """
        {hero} liked to collect {trinkets}. {He} had {digits} of them.
        {hero} collected things. {He} kept them in a {colour} box behind the {bed}.
        {His} {mum1} had given {him} a wooden box. {hero} wanted to fill it with {pretty} things.
        """,
    "collect_list": """
        There were {trinkets}, {trinkets}, {trinkets}, {count} {trinkets} and a {old} {trinket}.
        {One_day}, {he} found a {trinket} at the {place}, a {trinket} in the {wild} and a {trinket} under the {bush}.
        {He} had {digits} {trinkets}, {digits} {trinkets} and only one {trinket}.
        {He} had pictures of {beasts}, {beasts}, {birds}, {insects} and {sea_creatures}.
        """,
    "collect_show": """
        {He} showed it all to {friend}. "{Wow}, what a {pretty} {trinket}!" {laughed} {friend}. "I have {count} {trinkets}. Let's swap!"
        At school {he} was allowed to show it. {name} liked the {trinkets}, and {name} liked the {trinkets}.
        {neighbour}, the {job1}, looked at the {trinkets}. "This one is {very} old," {neighbour_he} {said}. "It comes from {village}."
        """,
    "asked_sum": """
        "I give away {count} and find {count} more. How many do I have?" {asked} {hero}. {friend} counted {quickly}.
        "If I find one every day, I'll have {digits} next year!" {said} {hero}.
        {He} counted them {quickly}: {digits}! That was more than {name} had, and more than {name} had too.
        """,
    # --- weather days ---
    "snow_or_rain": """
        {One_day}, it rained and rained. "I'm so bored," {sighed} {hero}.
        {One_day}, everything was white. "{Wow}! Snow!" {laughed} {hero}.
        {One_day}, the {gust} {howled} and blew over a {bucket}, a {bucket} and the fence of {neighbour}.
        {One_day}, it was so wet that nobody wanted to go out. {Sound}, {sound}! it went on the roof.
        """,
    "indoor": """
        They built a tent in the {room} and told each other stories about {figures}.
        "We could {play}," {said} {friend}. "Or we could {play}," {said} {hero}. In the end they played {game}.
        {hero} made a {beast} out of {material}, and {friend} made a {beast} out of {material}.
        {His} {mum1} made {drink}, and they {ate} {tasty} {treats} in the {room}.
        They played music with a {bucket}, {count} spoons and a {instrument}. {Sound}, {sound}, {sound}!
        """,
    "outdoor": """
        Then the sun {shone}, and they {moved} to the {place}.
        Outside they made a snowman with a bucket on its head and two stones for eyes. They called it {wonder_name}.
        They put on their {garments} and jumped into every puddle. {Sound}!
        They met {neighbour}, who was pulling {neighbour_his} {cart} out of the mud. "Can we help you?" {asked} {hero}.
        """,
    # --- endings ---
    "end": """
        From that day on, they were best friends.
        {hero} was {happy}. It was a good day.
        And {hero} learned that {lesson} is very important.
        They all lived happily ever after.
        {hero} smiled and went home. {He} would never forget this day.
        "I love you," said {hero}. "I love you too," said {his} {mum1}.
        After that, {hero} always remembered: {lesson} and {lesson} make life better.
        And whenever {hero} saw a {old} {trinket}, {he} thought of that day.
        That evening, they {ate} {meal} and {tasty} {treats}, and everybody was {happy} and {happy}.
        In {village1} they still tell this story, and {his} {mum1} tells it best.
        """,
    "moral": """
        The moral of the story is that {lesson} is important.
        And so everyone learned something about {lesson} and {lesson}.
        Remember: a kind heart is worth more than {digits} {trinkets}.
        If you are good to others, you will always find a friend.
        {Lesson} makes even a {hard} day a good one.
        """,
}
