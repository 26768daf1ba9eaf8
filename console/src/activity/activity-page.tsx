export function ActivityPage() {
  return (
    <div className="top">
      <h1>Activity</h1>
    </div>
  )
}
