export function CallPage() {
  return (
    <div className="top">
      <h1>Call</h1>
    </div>
  )
}
