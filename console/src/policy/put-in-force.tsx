import { useState } from 'react'
import { say } from '../lib/announce.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'

type PutProps = { readonly text: string; readonly off: boolean; readonly looser: boolean }

/** The policy is a file of the operator's; the console hands over the draft and never writes that file itself. */
export function PutInForce({ text, off, looser }: PutProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="decide-in foot">
      <p className="decide-says">
        {looser ? <b>Some calls that a person decided would now run alone.</b> : 'Nothing changes until the file does.'}
      </p>
      <Button kind="primary" off={off} onClick={() => setOpen(true)}>
        Put in force …
      </Button>
      {isOpen ? <PutDialog text={text} looser={looser} onClose={() => setOpen(false)} /> : null}
    </div>
  )
}

function PutDialog({ text, looser, onClose }: Pick<PutProps, 'text' | 'looser'> & { readonly onClose: () => void }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      say('The draft is copied.')
    } catch {
      say('The draft could not be copied; use the download.')
    }
  }
  const download = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }))
    link.download = 'policy.yaml'
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <Dialog
      title="Put this policy in force"
      onClose={onClose}
      foot={
        <>
          <span className="grow" />
          <span data-harmless>
            <Button onClick={onClose}>Close</Button>
          </span>
          <Button onClick={download}>
            <Icon name="download" />
            Download
          </Button>
          <Button kind="primary" onClick={() => void copy()}>
            Copy the draft
          </Button>
        </>
      }
    >
      <p>
        The policy is a file on the gate’s machine, so that it can be reviewed and versioned. Put this text under{' '}
        <code>policy:</code> in sluice.yaml. The gate reads it by itself when the file is saved; if it has a fault, the
        policy in force stays.
      </p>
      {looser ? <p>Under this draft, some calls that are asked about today would run without a person.</p> : null}
    </Dialog>
  )
}
