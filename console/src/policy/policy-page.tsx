export function PolicyPage() {
  return (
    <div className="top">
      <h1>Policy</h1>
    </div>
  )
}
