export function RunsPage() {
  return (
    <div className="top">
      <h1>Runs</h1>
    </div>
  )
}
