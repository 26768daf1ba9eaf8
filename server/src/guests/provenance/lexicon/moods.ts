/**
 * Words by which a sentence asks for something. Each list is one way of asking, so that it is clear why a sentence counts.
 * English, German and Spanish; without accents, as words are compared.
 */
export const MOODS = {
  /** Polite markers, which hardly occur outside requests. */
  please: 'please kindly pls plz bitte porfavor todo fixme mandatory',
  /** Addresses the reader. Alone this asks for nothing; with a modal or an action verb it does. */
  you: 'you your yours yourself du dir dich dein deine deinen sie ihnen tu usted ustedes te assistant agent ai bot model gpt claude system',
  /** Obligation and possibility. */
  modal:
    'could can would will should must shall may might need needs needed ought required requires require supposed necessary needing soll sollen sollst sollte sollten sollt muss musst mussen musse kannst konnen konnten konntest konnt kann debe debes deben deberia deberias tienes tiene hay puedes puede podrias podria pueden necesario',
  /** The writer's wish. */
  wish: 'need want wants wanted like love require requires appreciate wish wishes hope hoping prefer keen eager desire demand demands request requests requested requesting asks asked ask insist insists grateful thankful thinking contemplating considering decided resolved mochte mochten brauche brauchen wollen wunsche wunscht bittet verlangt quiero necesito quisiera deseo pide solicita quiere desea',
  first:
    'i we me us my our mine ich wir mir uns mein meine yo nosotros me nos mi user owner boss customer client admin administrator nutzer benutzer kunde chef usuario cliente jefe',
  /** A clause may begin after these. */
  opener:
    'and then also now next first finally second third lastly afterwards afterward before after please just so but or kindly additionally furthermore moreover once simply always immediately instead otherwise dann und danach jetzt bitte zuerst anschliessend auch sofort y luego despues ahora tambien primero finalmente por favor ademas inmediatamente action step task reminder important note instruction instructions order urgent attention remember directly quickly promptly carefully actually ok okay alright great excellent well hey hi hello oh alas here thus therefore hence subsequently meanwhile',
  /** Words that begin an object, after a verb that could be a noun. */
  determiner:
    'the a an my your our his her their its this that these those all every each any it them him me us some both another one two three den die das der dem ein eine einen alle mein meine dein deine el la los las un una mi tu todos todas',
  /** Urging words that count on their own. */
  urge: 'proceed ahead forget ensure ignore disregard obey remember assist help continue comply beware lets',
  /** Words that precede `the` and are not verbs. */
  preposition:
    'about above across after against along alongside amid among around as at before behind below beneath beside besides between beyond by despite down during except for from in inside into like near of off on once onto opposite out outside over past per plus regarding round save since than through throughout till to toward towards under underneath unless unlike until unto up upon via versus when whenever where whereas while with within without because although though whether if that both half even not only such what which whose who how why yet still perhaps maybe today yesterday tomorrow tonight later soon then there here often never sometimes meanwhile everyone everybody nobody someone somebody overall indeed else also quite rather almost nearly twice all is are was were be been being has have had do does did will would can could should must may might auf aus bei mit nach von vor zu zwischen hinter neben unter uber durch gegen ohne um fur entre sin sobre desde hasta hacia segun durante bajo ante tras con contra para por de en',
} as const

export type Mood = keyof typeof MOODS

/** Words that turn what follows or precedes into a request. */
export const MARKERS = {
  /** Obligations, whoever has to act: `the file must be removed`. */
  duty: 'must should shall need needs ought required supposed soll sollen sollte sollten muss mussen debe deben deberia tiene hay necessary requires necesario debes musst tienes',
  /** `Step 3 close the ticket`: the name of an item, before a number. */
  item: 'step task item point todo action no schritt aufgabe punkt paso tarea punto',
  let: 'let lass lasst vamos',
  /** `It is time to`, `is it possible to`, `make sure`. */
  time: 'time possible about mind able hora favor sure worth',
  /** `It would be great if`: after a modal, a wish. */
  welcome:
    'appreciated great helpful good nice beneficial ideal best fantastic awesome wonderful lovely perfect useful prudent wise advisable benefit welcome super toll hilfreich schon estupendo genial bueno util amable',
  have: 'have has had tienes tiene',
  be: 'be werden ser',
  /** `kann weg`, `muss raus`: after a modal, an obligation without a verb. */
  away: 'weg raus fort',
  /** `Could somebody`: right after a modal, addresses the reader. */
  anybody: 'somebody someone anybody anyone jemand wer alguien',
  /** `Que desaparezca`: before a verb, at the beginning of a sentence. */
  may: 'que',
} as const

/** `Request failed with status 404`: words that follow a noun, not a verb, in an error message. */
export const ERROR_WORDS = {
  failed:
    'failed denied refused rejected exceeded expired aborted cancelled canceled forbidden fehlgeschlagen verweigert abgelehnt fallo denegado rechazado',
  after: 'with because due after on for by code mit wegen con por',
}

/** Words that occur only in sentences. A text without them is not treated as a sentence. */
export const FUNCTION_WORDS =
  'the a an of to in on at by for with from is are was were be been has have had and or but not that this these those it its as if when which who will would can could should must may i you he she we they me him her us them my your his our their do does did so than then there here what how all any some no up out about into over after before more most other only also just very'

/** The same in German and Spanish. Their vocabulary is only partly known, so a request in them may be about anything. */
export const OTHER_FUNCTION_WORDS =
  'der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war waren wird werden hat haben mit von zu im am auf fur an bei nach aus als wenn wie dass sich es ich du er sie wir ihr mein dein sein auch noch nur sehr bitte diese dieser dieses bis dann jetzt el la los las un una unos unas y o pero es son fue eran ser estar esta estan ha han con de del en por para que se su sus lo le les yo tu mi muy mas como si al favor'

/** Requests that name no action: `do the following`, `complete the task`. They may mean any action. */
export const VAGUE_WORDS =
  'following task tasks instruction instructions step steps perform carry obey comply follow accordingly aufgabe aufgaben folgende folgendes folgenden anweisung anweisungen erledige erledigen befolge tarea tareas siguiente siguientes instruccion instrucciones pasos realiza realizar'
