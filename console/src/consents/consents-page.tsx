export function ConsentsPage() {
  return (
    <div className="top">
      <h1>Consents</h1>
    </div>
  )
}
