// Everything that moves the cursor, changes colours, rings, hides or turns letters around; line breaks and tabs are harmless.
const UNSEEN = /(?![\n\t])[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu

/**
 * Text as a terminal may show it. Arguments and answers come from agents and tool servers: a person who decides must see their
 * escape sequences, not obey them.
 */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
