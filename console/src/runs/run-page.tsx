export function RunPage() {
  return (
    <div className="top">
      <h1>Run</h1>
    </div>
  )
}
