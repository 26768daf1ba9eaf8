export function SettingsPage() {
  return (
    <div className="top">
      <h1>Settings</h1>
    </div>
  )
}
