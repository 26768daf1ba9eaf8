import { stem } from './stem.ts'

/**
 * The kinds of everyday things: a request names the thing ("laptop"), a tool its kind ("product"). One direction only, and
 * general on purpose: a line belongs here only if it would be right in any catalogue.
 */
const LINES = `
product shopping: laptop smartphone phone camera headphones tablet tv shoes dress shirt jacket watch furniture sofa toy jewelry makeup perfume appliance refrigerator bag sneakers brand gadget
electronics: laptop smartphone camera headphones tablet computer monitor keyboard
clothing fashion: dress shirt jacket shoes jeans outfit suit coat skirt wardrobe style
food recipe: chicken beef pasta pizza cake soup salad vegetarian vegan breakfast lunch dinner dessert ingredient bake snack chocolate
restaurant: dinner lunch sushi pizza brunch steakhouse menu cuisine
diet nutrition: calorie protein vitamin carb weight vegan keto healthy
health medical: pain fever headache symptom diagnosis therapy treatment patient cancer diabetes blood vaccine surgery nurse
fitness exercise: workout gym yoga running muscle squat cardio stretching marathon
travel trip: vacation itinerary destination flight hotel beach museum sightseeing passport visa luggage backpacking cruise resort tourist honeymoon
flight: airline airport plane boarding layover
hotel: room suite hostel resort checkin checkout accommodation
transport: bus train subway taxi ferry metro tram commute
car vehicle: sedan suv truck mileage engine tire fuel petrol toyota honda ford tesla
property house: apartment condo bedroom rent mortgage landlord villa
finance: stock bond dividend portfolio investment earnings etf nasdaq budget loan savings retirement
stock: share ticker nasdaq dividend equity dow
cryptocurrency blockchain: bitcoin ethereum nft wallet token crypto btc eth defi
currency: dollar euro yen pound usd eur gbp jpy rupee peso franc
company: revenue ceo startup corporation headquarters employer founder
job career: resume hiring salary interview internship recruiter vacancy employer profession
law: court attorney lawsuit liable statute regulation constitution copyright trademark judge crime visa license
education course: student exam university degree homework lecture curriculum teacher certification
language: spanish french german chinese japanese english italian korean portuguese russian arabic hindi pronunciation grammar vocabulary phrase
translate: spanish french german chinese japanese italian korean portuguese russian arabic hindi
research paper: arxiv journal citation thesis study literature scholar scientist doi pubmed
science: physics chemistry biology astronomy experiment
math: algebra equation integral derivative geometry calculus matrix fraction sqrt arithmetic multiply divide subtract
calculate: sum multiply divide subtract plus minus percent average
programming code: python javascript java react typescript function bug compile algorithm api github developer debug library framework html css sql
repository: github gitlab git commit pull branch
website: homepage landing page domain seo wordpress hosting html blog
seo: backlink ranking keyword traffic serp google
marketing: campaign advertisement audience brand branding leads promotion influencer
image: photo picture logo illustration drawing wallpaper portrait selfie thumbnail painting
video: youtube clip vlog footage tiktok film vimeo
music: song playlist album artist band concert lyrics guitar piano chord melody jazz rock pop spotify rap
movie: film actor director cinema thriller comedy netflix sequel oscar imdb
show: netflix episode season sitcom series
entertainment media: movie show book podcast series celebrity
book: novel author chapter fiction reading bestseller library
event: concert festival theater broadway conference exhibition party wedding show
ticket: concert theater match show
game: chess puzzle xbox playstation nintendo minecraft poker player multiplayer videogame
sport: football soccer basketball tennis cricket baseball golf hockey nba nfl athlete league team score coach olympics
news: headline breaking journalist politics election current events
weather: temperature rain snow forecast humidity wind storm sunny cloudy umbrella celsius fahrenheit hurricane
location map: restaurant nearby address latitude longitude coordinates street directions gps
country: france germany japan canada australia india china mexico brazil italy spain uk usa
holiday: christmas easter thanksgiving vacation festival
animal: dog cat bird fish horse species wildlife breed
plant garden: flower tree seed soil leaf houseplant
astrology: zodiac horoscope tarot natal birth
religion: bible god prayer church quran verse christian
charity: donate nonprofit volunteer fundraising donation
gift: birthday anniversary surprise christmas valentine
calendar: meeting appointment schedule remind tomorrow
task: todo reminder deadline checklist
email: inbox recipient newsletter gmail outlook
message: sms text whatsapp slack telegram chat email mail inbox gmail outlook reply forward notify
document: pdf word report docx
spreadsheet: excel csv sheet
chart: graph plot pie histogram bar visualization
diagram: flowchart mindmap uml
presentation: slides powerpoint deck
database: sql table query postgres mysql mongodb
server: hosting vm instance deploy linux
security: firewall malware vulnerability password encryption threat attack phishing breach
network: ip dns router vpn wifi
cloud: azure aws kubernetes
energy: electricity solar battery power
environment: carbon emission climate pollution recycling
art: painting museum gallery sculpture artist
history: war ancient century empire historical
data: dataset statistics census analytics
survey form: questionnaire quiz poll
review: opinion rating pros cons feedback
discount: coupon sale deal promo bargain voucher
writing: essay article blog story poem paragraph letter rewrite paraphrase
summarize: article transcript
email: gmail outlook imap smtp mailbox
message channel: slack discord teams telegram whatsapp dm
issue ticket: jira linear zendesk bug
repository: bitbucket
page note: notion obsidian evernote wiki confluence
crm customer: salesforce hubspot lead prospect
payment: stripe paypal checkout refund card
design: figma canva sketch prototype mockup
meeting: zoom webinar standup attendee conference
board task: trello asana kanban sprint backlog
ride: uber lyft cab
accommodation: airbnb hostel cabin lodge
image generate: dalle midjourney artwork
video: dailymotion subtitle transcript
social post: twitter instagram facebook linkedin tweet tiktok reddit
file folder: dropbox drive zip attachment
cloud: gcp s3 lambda serverless
container: docker kubernetes pod helm
log monitor: datadog grafana prometheus alert outage incident
analytics: traffic conversion dashboard visitor
web search: google bing duckduckgo
browser: chrome firefox screenshot click
ai model: gpt chatgpt llm claude openai llama prompt
audio: mp3 wav podcast voice recording
speech: voice pronounce transcribe dictation
text: paragraph sentence essay
medicine: pill dose aspirin ibuprofen prescription antibiotic
doctor: appointment physician dentist checkup
beauty: skincare makeup hairstyle lipstick
baby parent: toddler infant pregnancy
wedding event: bride venue ceremony
insurance: premium coverage claim deductible
tax: irs deduction vat
loan: mortgage interest borrow lender
bank: deposit withdraw balance checking atm
invest: portfolio fund dividend
shipping: parcel courier tracking fedex ups usps
order: delivery cart purchase refund
science: nasa telescope molecule
space: nasa planet rocket mars moon galaxy asteroid satellite
earthquake: magnitude tremor richter
disaster: flood wildfire hurricane tsunami
air quality: pollution pm2 smog
population: census demographic
government: senate congress president parliament minister election
crime: police theft robbery
military: army war soldier
psychology: anxiety depression stress mood therapy mindfulness
meditation: mindfulness calm breathing
sleep: insomnia bedtime nap
habit goal: routine motivation productivity
dating relationship: boyfriend girlfriend partner love
family: mother father parent sibling grandma
time: timezone clock hour minute utc
date: monday tuesday wednesday thursday friday saturday sunday
distance: km mile kilometer
unit convert: km mile kg pound celsius fahrenheit inch meter ounce liter
color: hex rgb palette red blue green
number: integer digit prime
chemistry: molecule element reaction compound
physics: velocity acceleration force gravity energy momentum
geometry: triangle circle rectangle polygon radius
statistics: mean median variance regression correlation probability
machine learning: neural regression classifier training dataset
domain: dns whois registrar
certificate: ssl tls https
user: login signup account username
schedule: monday tomorrow appointment
recipe: oven ingredient cook
drink: coffee tea wine beer cocktail
pet: dog cat puppy kitten vet
agriculture farm: crop livestock soil harvest
building construction: architect concrete contractor
energy: solar wind nuclear oil gas
manufacturing: factory assembly
city location: paris london tokyo berlin madrid rome chicago boston seattle sydney mumbai delhi beijing shanghai toronto dubai singapore amsterdam vienna barcelona moscow istanbul houston dallas miami denver atlanta austin
country: argentina chile colombia peru egypt nigeria kenya morocco turkey greece portugal poland sweden norway denmark finland netherlands belgium austria switzerland ireland scotland russia ukraine korea vietnam thailand indonesia malaysia philippines pakistan bangladesh iran israel
language: dutch swedish polish turkish greek hebrew vietnamese thai latin mandarin
food recipe: rice bread cheese egg fish meat vegetable fruit potato tomato garlic onion noodle sandwich burger steak curry seafood shrimp salmon pork turkey sauce spice cookie pie muffin pancake smoothie casserole grill roast fry boil
ingredient: flour sugar butter salt pepper oil milk egg
drink: juice soda whiskey vodka espresso latte brewery
restaurant: bistro diner bar pub takeout dine eat waiter chef
health medical: flu cold cough allergy asthma infection disease injury doctor hospital clinic heart lung kidney liver brain skin vaccine virus covid medication prescription rash nausea migraine arthritis stroke hypertension obesity dental
mental health: anxiety depression stress therapist counseling
fitness exercise: jog run swim cycling pushup bench pilates treadmill steps trainer weightlifting
travel trip: trekking hiking camping island mountain tour safari souvenir flight backpack getaway roadtrip explore excursion landmark
hotel: motel inn bnb lodging overnight bed breakfast
flight: fly depart departure arrival takeoff pilot jet
transport: bike scooter carpool shuttle highway route traffic
car vehicle: bmw audi mercedes volkswagen nissan chevrolet hyundai motorcycle van electric hybrid dealership mechanic garage
property house: realtor estate tenant square bathroom kitchen mansion townhouse zillow renovation
finance: debt asset liability inflation interest tax credit bank wealth expense income pension annuity treasury hedge fund equity
stock: apple tesla amazon microsoft trade trader shareholder bull bear
cryptocurrency blockchain: dogecoin solana litecoin mining ledger coinbase binance
currency: dollar cent exchange forex aud cad chf inr cny
company: firm business ceo supplier vendor competitor merger acquisition industry brand
job career: cv employer employee hire recruit linkedin manager engineer freelancer remote promotion retire occupation
law: lawyer legal court contract tenant divorce custody patent clause compliance policy tort plaintiff defendant
education course: school college class tutor learn lesson assignment quiz grade scholarship teach textbook semester mooc coursera udemy kindergarten
math: theorem number calculation polynomial logarithm trigonometry vector probability solve exponent factorial prime
programming code: rust golang ruby php kotlin swift script node django flask spring debugging refactor repository variable class method loop regex snippet syntax
website: url link webpage web browser online internet webmaster cms shopify
marketing: advertising ad customer sale seo newsletter slogan copywriting engagement funnel
image: png jpg jpeg gif icon sketch photograph art avatar banner infographic render visual
video: movie clip stream mp4 caption shorts reel animation
music: singer rapper dj tune track genre lyric spotify soundtrack instrument drum violin bass hiphop classical country beat remix
movie: hollywood actress screenplay trailer horror drama animation documentary blockbuster bollywood disney marvel watch
show: tv television hbo hulu sitcom drama watch anime
book: novel ebook read kindle paperback memoir biography literature author
event: meetup seminar workshop webinar gathering ceremony gala show performance
game: gamer steam esports rpg console quest level trivia riddle sudoku crossword lottery dice
sport: rugby volleyball swimming boxing wrestling f1 racing marathon championship tournament fifa stadium
news: article story press media report update journal bbc cnn current affairs
weather: hot cold warm degree thunder fog drought heat freezing climate sunrise
location map: near address city route direction place where zipcode postcode neighborhood landmark
animal: pet lion tiger elephant bear whale shark insect butterfly reptile zoo mammal
plant garden: rose tree vegetable weed lawn fertilizer herb
gift: present wedding holiday mom dad boyfriend girlfriend
calendar: agenda date event booking availability
task: chore plan organize project todo
document: file doc pdf paper contract form attachment text
spreadsheet: google sheets table column row formula pivot
data: csv statistic metric number figure table trend insight
security: hacker virus ransomware antivirus exploit cve authentication secure scam
network: bandwidth latency ping port proxy subnet wifi internet
cloud: server storage compute vm hosting
art: drawing sketch artwork exhibition sculpture craft design
history: historical timeline ancestor civilization medieval revolution king queen president
review: testimonial critic comparison rating stars evaluate best
discount: offer cheap promo clearance save cashback price
writing: writer blog essay novel grammar proofread edit draft caption headline script plot
research paper: publication abstract academic peer conference author scholar survey
social: facebook instagram twitter tiktok snapchat follower hashtag post influencer
email: mail inbox reply subject sender
pet: puppy hamster rabbit parrot veterinarian adopt
baby parent: newborn stroller diaper toddler kid child
family: genealogy ancestor son daughter wife husband
relationship: marriage wedding friend crush breakup dating
astrology: leo virgo aries scorpio libra pisces taurus gemini sagittarius capricorn aquarius compatibility sign
religion: quran islam jesus buddhist hindu pray faith worship temple mosque psalm gospel
environment: sustainability green recycle renewable eco waste wildlife conservation climate
energy: kilowatt fuel grid charging renewable
science: atom cell dna gene theory experiment lab researcher quantum evolution
space: astronaut orbit comet star spacex solar universe
government: law policy mayor governor vote ballot citizen tax congress
real estate: apartment house mortgage rent condo
insurance: car health life policy quote accident
bank: account transfer savings loan credit debit
shipping: deliver package shipment postal
order: buy ship checkout
furniture home: sofa table chair lamp bed decor interior mattress rug
clothing fashion: sweater pants boots sandals hat scarf tshirt hoodie blouse gown apparel nike adidas wear
product shopping: buy purchase price brand store amazon ebay walmart cheap best
electronics: iphone android samsung charger speaker printer tv router console
beauty: shampoo moisturizer perfume nail sunscreen hair skin
ai chatbot assistant: conversation bot
domain: website hosting register available
url link: shorten bitly qr
qr code: scan barcode
pdf document: page merge extract
podcast: episode listen host
joke: funny laugh humor pun
quote: inspiration motivational wisdom
poem: rhyme haiku sonnet stanza
recipe: dish meal cook kitchen
wine: vineyard sommelier vintage
coffee: espresso barista latte
museum: exhibit gallery artifact
university: campus college admission tuition
visa: passport immigration embassy
time: schedule hour clock timezone deadline duration
convert: unit exchange currency format
phone: call mobile sms number dial contact
contact: phone email address person
translate: language word phrase mean
sentiment: opinion emotion positive negative tone
password: login credential reset
user: profile member person customer
person: actor actress singer director celebrity author player politician president
image: color filter crop resize background
audio: sound music song voice noise
keyword: seo search term tag
survey form: response feedback question
`

function tableOf(lines: string): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, Set<string>>()
  for (const line of lines.split('\n')) {
    const [kinds, things] = line.split(':').map((side) =>
      side
        .split(' ')
        .filter((word) => word !== '')
        .map(stem),
    )
    for (const thing of things ?? []) {
      const of = table.get(thing) ?? new Set()
      for (const kind of kinds ?? []) if (kind !== thing) of.add(kind)
      table.set(thing, of)
    }
  }
  return new Map([...table].map(([thing, kinds]) => [thing, [...kinds]]))
}

/** Built by the first search. */
let table: ReadonlyMap<string, readonly string[]> | undefined

/** The stems of a thing's kinds, by the stem of the thing. */
export function kindsOf(stemmed: string): readonly string[] {
  table ??= tableOf(LINES)
  return table.get(stemmed) ?? []
}
