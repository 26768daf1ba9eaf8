export function OverviewPage() {
  return (
    <div className="top">
      <h1>Overview</h1>
    </div>
  )
}
