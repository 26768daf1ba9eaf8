/* Shows a notification for each call that waits, and opens it. It caches nothing: an old page could decide on old data. */
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('push', (event) => {
  let said = {}
  try {
    said = event.data?.json() ?? {}
  } catch {
    // Without a readable message it is still said that something waits.
  }
  const text = (value, otherwise) => (typeof value === 'string' && value !== '' ? value.slice(0, 300) : otherwise)
  event.waitUntil(
    self.registration.showNotification(text(said.title, 'A call waits for you'), {
      body: text(said.body, ''),
      tag: text(said.approval_id, 'sluice'),
      icon: '/icon.svg',
      data: { approval_id: text(said.approval_id, '') },
    }),
  )
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  // Only pages of this gate are opened, whatever the message says.
  const id = /^auth_[0-9a-f]{16}$/.exec(event.notification.data?.approval_id ?? '')?.[0]
  const page = new URL(id === undefined ? '/' : `/#/approvals/${id}`, self.location.origin).href
  const open = async () => {
    const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
    const [first] = windows
    if (first === undefined) return self.clients.openWindow(page)
    await first.navigate(page)
    return first.focus()
  }
  event.waitUntil(open())
})
