/**
 * Removes these characters at the end. An expression such as `/[.]+$/` does the same, but tries every run of dots in the text,
 * which is slow on a long text of them.
 */
export function trimmedEnd(text: string, marks: string): string {
  let end = text.length
  while (end > 0 && marks.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** Removes these characters at the start and the end. */
export function trimmedBoth(text: string, marks: string): string {
  let start = 0
  while (start < text.length && marks.includes(text.charAt(start))) start += 1
  return trimmedEnd(text.slice(start), marks)
}
