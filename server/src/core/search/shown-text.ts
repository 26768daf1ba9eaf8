/** Ordinary writing: a joiner between emojis, an emoji's own form, a joiner within a word of a script that is written with it. */
const EMOJI_JOINER = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})/u
const EMOJI_FORM = /(?<=[\p{Extended_Pictographic}#*0-9])\uFE0F/u
const WORD_JOINER = /(?<=(?!\p{Script=Latin})[\p{L}\p{M}])[\u200C\u200D](?=(?!\p{Script=Latin})[\p{L}\p{M}])/u
const ORDINARY = [EMOJI_JOINER, EMOJI_FORM, WORD_JOINER].map(({ source }) => source).join('|')

/** Marks that turn text around, stand for nothing visible, or smuggle letters that only a model reads. */
const UNSEEN = new RegExp(`(?!${ORDINARY})[\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\uFFF9-\\uFFFB]`, 'gu')
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu

/** A tool server's words as people and models are shown them: what cannot be seen is a dot that can. */
export const shownText = (text: string): string =>
  text.replace(UNSEEN, '·').replace(CONTROL, (mark) => (mark === '\n' || mark === '\t' || mark === '\r' ? mark : '·'))
