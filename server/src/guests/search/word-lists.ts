import { stem } from './stem.ts'

/**
 * Everyday English: the words of one group mean nearly the same in a request for a tool. General on purpose: a group belongs here
 * only if it would be right in any catalogue.
 */
const GROUPS = `
  get fetch retrieve obtain read load show display view return, find search lookup locate discover query seek,
  list enumerate browse, create make add new generate insert build register,
  delete remove erase drop destroy discard trash, update modify change edit alter adjust set revise,
  calculate compute evaluate determine, send deliver transmit dispatch post, buy purchase order acquire shop,
  sell vend, book reserve reservation booking, cancel abort revoke terminate,
  start begin launch initiate run execute trigger, stop halt end terminate, check verify validate confirm test,
  compare comparison difference versus, convert transform translate exchange, copy duplicate clone,
  save store keep persist archive, share publish post, upload import ingest, download export,
  schedule plan arrange appointment, summarize summary digest overview, explain describe clarify,
  recommend suggest advise recommendation suggestion advice,
  analyze examine inspect assess evaluate analysis assessment evaluation, monitor track watch observe,
  notify alert remind reminder notification, predict forecast estimate prediction projection estimation,
  solve resolve fix repair, merge combine join concatenate, split divide separate, sort order rank, filter narrow,
  count number quantity, draw sketch plot illustrate, record log, login signin authenticate,
  subscribe signup enroll, connect link attach, invite add, move transfer relocate, rename retitle,
  replace substitute swap, approve accept, reject decline deny, enable activate, disable deactivate,
  lock block restrict, unlock unblock, open launch, close shut, play stream listen, pause halt, skip next,
  follow subscribe, like favorite favourite, rate rating score, review feedback critique opinion,
  write compose draft author, improve enhance optimize refine polish, learn study education course lesson tutorial,
  teach instruct tutor, practice exercise train, movie film cinema, tv television, show series program,
  actor cast star starring, director directed filmmaker, song track music tune, music audio sound,
  singer artist musician band, album record, picture photo image photograph, poster cover artwork,
  video clip footage, speech voice, car vehicle automobile auto, bike bicycle,
  trip travel journey vacation tour holiday, travel flight hotel, tourist attraction sightseeing,
  flight airline plane aircraft airplane, airport airfield, hotel accommodation lodging hostel motel stay,
  house home property apartment flat residence, house realestate housing, rent lease rental,
  restaurant dining eatery cafe, food meal dish cuisine, recipe cooking cook, diet nutrition calorie,
  drink beverage, grocery supermarket, doctor physician medical, hospital clinic,
  medicine drug medication pharmaceutical, disease illness condition disorder, symptom sign,
  health wellness fitness medical, workout exercise fitness gym, job career employment position vacancy, resume cv,
  salary wage pay income, company business firm corporation enterprise organization,
  employee staff worker personnel, customer client, person individual people, kid child children,
  student pupil learner, teacher instructor professor, school college university, paper article publication,
  research academic scholarly scientific, book novel, author writer, news headline,
  weather forecast temperature climate, rain precipitation rainfall, earthquake seismic quake, stock share equity,
  stock finance investment market, crypto cryptocurrency bitcoin ethereum coin, currency money forex,
  money cash fund finance financial, price cost fee rate quote, cheap affordable inexpensive discount,
  discount coupon deal promotion offer sale, gift present, product item goods merchandise, shop store retailer,
  cart basket, payment pay transaction, invoice bill, tax taxation, loan mortgage credit, bank banking,
  insurance policy, law legal statute legislation, lawyer attorney, contract agreement,
  charity nonprofit donation donate, email mail, message text sms chat, phone telephone mobile call,
  contact person, meeting appointment event, calendar schedule agenda, event happening occasion, date day,
  hour time, task todo, note memo, document file doc, folder directory, spreadsheet sheet excel, table grid,
  chart graph plot diagram visualization visualize, map location geographic, location place address position,
  address street, city town, country nation, region area zone, distance far length,
  direction route navigation path, near nearby close, website site web webpage, url link, domain hostname,
  internet web online, browser web, search engine, user account profile member, password credential passphrase,
  permission access role authorization, token key, group team, server host machine, vm virtualmachine instance,
  container docker, cluster kubernetes, database db, query sql, record row entry, column field attribute,
  repository repo, code program script source, programming coding software developer, bug issue defect error,
  error failure exception, commit revision, branch fork, deploy deployment release, log trace,
  metric measurement statistic, config configuration setting, parameter option argument, version release,
  backup snapshot, secret credential, certificate cert, storage disk, bucket container, cloud hosting,
  subscription plan, network networking, firewall security, ip address, language linguistic, translate translation,
  word vocabulary dictionary term, definition meaning define, synonym similar, similar alike related,
  sentence text, grammar spelling, joke humor funny comedy, quote quotation saying, fact trivia, game gaming,
  puzzle riddle quiz, sport athletic, football soccer, player athlete, match game fixture, team club,
  league competition tournament, score result, animal pet, dog puppy, cat kitten, plant flower, garden gardening,
  nature environment environmental, space astronomy, planet star, tarot horoscope astrology fortune,
  religion faith spiritual, bible scripture, history historical past, future upcoming,
  latest newest recent current, popular trending top, random arbitrary, best top, total sum, average mean,
  maximum max highest, minimum min lowest, percent percentage ratio, area surface, circumference perimeter,
  speed velocity, weight mass, height tall, root sqrt, probability chance odds likelihood, equation formula,
  integral integration, derivative differentiation, prime factor, color colour, size dimension, shape geometry,
  logo icon, design layout, slide presentation powerpoint, ad advertisement advertising marketing,
  marketing promotion campaign, seo ranking, keyword tag, comment reply, tweet twitter, podcast episode,
  season episode, channel broadcast, ticket pass admission, bus coach, train rail railway, taxi cab ride uber,
  traffic congestion, parking park, delivery shipping shipment, package parcel, mail letter postal,
  clothes clothing apparel fashion outfit, beauty cosmetic makeup, salon hairdresser hair,
  electricity power energy, battery charge, device gadget hardware, sensor detector, robot automation,
  ai artificialintelligence, model llm, prompt instruction, conversation dialogue chat, question ask answer,
  answer reply response, help support, problem trouble, idea inspiration brainstorm, story tale narrative,
  poem poetry verse, essay article, blog post, post create, put update, patch update, get list,
  information info detail data, details info, photo snapshot, picture drawing, pic image, vid video,
  docs documentation manual, readme documentation, guide manual handbook tutorial, instructions manual,
  rules regulation, history log, statistics stats, stats analytics, favorite bookmark, bookmark save,
  wishlist favorite, label tag category, category type kind genre, genre style, owner author, member participant,
  participant attendee, guest visitor, manager administrator admin, boss manager, coworker colleague,
  friend contact, partner spouse, balance amount, amount sum quantity, budget spending expense,
  expense cost spending, profit earnings revenue, debt loan, refund reimburse, subscription membership, trial demo,
  demo example sample, example sample instance, template format, format layout, compress zip, extract parse,
  parse read, encrypt encode, decrypt decode, hash digest checksum, compile build, install setup, setup configure,
  uninstall remove, upgrade update, restart reboot, restore recover, recover retrieve, scan check, crawl scrape,
  scrape extract, capture screenshot, screenshot image, click press tap, type enter input, input enter,
  output result, result outcome, response answer, request ask, assign allocate, allocate distribute,
  complete finish done, finish end, pending open, resolve close, escalate raise, report document, report summary,
  survey questionnaire poll, quiz test exam, exam test, grade score mark, graduate degree, scholarship grant,
  donate give, volunteer help, vote poll, elect vote, crime offense, police law, court judge, accident crash,
  emergency urgent, danger risk hazard, safe secure, security protection, protect secure, threat risk,
  virus malware, hack attack, spam junk, fake fraud scam, real genuine, true valid, false invalid, big large,
  small little, fast quick, slow delayed, delay late, early soon, old ancient, new latest, today current,
  now current, tomorrow future, yesterday past, week weekly, month monthly, year annual yearly, daily day
`

function tableOf(groups: string): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, Set<string>>()
  for (const group of groups.split(',')) {
    const stems = group
      .split(/\s+/)
      .filter((word) => word !== '')
      .map(stem)
    for (const one of stems) {
      const others = table.get(one) ?? new Set()
      for (const other of stems) if (other !== one) others.add(other)
      table.set(one, others)
    }
  }
  return new Map([...table].map(([one, others]) => [one, [...others]]))
}

/** Built by the first search. */
let table: ReadonlyMap<string, readonly string[]> | undefined

/** The stems that may replace a stem. */
export function synonymsOf(stemmed: string): readonly string[] {
  table ??= tableOf(GROUPS)
  return table.get(stemmed) ?? []
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''))

/** Words without a subject. Never indexed, never searched, except as part of an exact name. */
export const STOP_WORDS = words(`
  a about above actually after again against all along already also although always am among an and another any anybody
  anyone anything are aren as at away be because been before behind being below beside besides between both but by came
  can cannot come could couldn d did didn do does doesn doing don done down due during e each either else etc ever every
  everyone everything few for from further g had hadn has hasn have haven having he hello hence her here hers herself hey
  hi him himself his how however i if in instead into is isn it its itself just kind know ll lot m many may maybe me
  might mine more most much must mustn my myself near needn neither never nor not nothing now o of off oh ok okay on once
  one only onto or other others ought our ours ourselves out over own per perhaps please quite rather re really s same
  shall shan she should shouldn since so some somebody someone something soon still such sure t than thank thanks that
  the their theirs them themselves then there these they thing things this those though through thus to together too
  toward towards under until up upon us using ve very via was wasn way we well were weren what whatever when whenever
  where whether which while who whole whom whose why will with within without won would wouldn y yes yet you your yours
  yourself yourselves
`)

/**
 * Words that people wrap a request in. They are indexed, since a tool may be about them, but count little in a query: "could you
 * help me find a tool to …" is not about help, finding or tools.
 */
export const REQUEST_WORDS = words(`
  able allow assist assistance available best curious currently detailed details give go good great guide hear help
  helpful interested kindly learn let like look looking love make need needed needs possible provide provided providing
  quick quickly recommend require required right specific specified specifically suggest suggestion suggestions take tell
  think tool tools trying understand use used useful user users want wanted wants wish wonder wondering work working
`)

/** Words for several things, or for things that belong to the caller: to act on them, they have to be listed first. */
export const LISTING_WORDS = words('all any each every mine my our some which')
