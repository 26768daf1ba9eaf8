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
