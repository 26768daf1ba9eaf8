/** Marks that turn text around, stand for nothing visible, or smuggle letters that only a model reads. */
const UNSEEN = /[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu

/** A tool server's words as people and models are shown them: what cannot be seen is a dot that can. */
export const shownText = (text: string): string =>
  text.replace(UNSEEN, '·').replace(CONTROL, (mark) => (mark === '\n' || mark === '\t' || mark === '\r' ? mark : '·'))
