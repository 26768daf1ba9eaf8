import { Button } from './button.tsx'

type Pages = { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; fetchNextPage(): unknown }

/** Under a list that has another page. */
export function ShowMore({ of, says = 'Show more' }: { readonly of: Pages; readonly says?: string }) {
  if (!of.hasNextPage) return null
  return (
    <div className="pad">
      <Button busy={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
        {says}
      </Button>
    </div>
  )
}
