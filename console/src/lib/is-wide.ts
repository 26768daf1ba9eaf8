/** Whether more than one pane fits beside another; the same width as in the style sheets. */
export const isWide = (): boolean => matchMedia('(min-width: 720px)').matches
