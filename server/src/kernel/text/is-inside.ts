/** Whether a resolved path is the root itself or below it. Both are absolute and contain no `..`. */
export function isInside(root: string, path: string): boolean {
  if (path === root) return true
  const below = /[\\/]$/.test(root) ? root : `${root}${root.includes('\\') ? '\\' : '/'}`
  return path.startsWith(below)
}
