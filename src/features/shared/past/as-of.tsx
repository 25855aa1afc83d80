'use client';
import { History } from 'lucide-react';
import { useState } from 'react';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useUrlValue } from '@/lib/url-state';
import { Button } from '@/ui/button';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Notice } from '@/ui/notice';
import { parseAsTime } from '../list-state';

const loadDialog = () => import('./as-of-dialog').then((module) => module.AsOfDialog);
const AsOfDialog = loadOnOpening(loadDialog);

/** The time as of which a page is shown, in the URL. Null: now. */
export function usePastTime(): [at: string | null, show: (at: string | null) => void] {
  const [at, setAt] = useUrlValue('as_of', parseAsTime);
  return [at, (next) => void setAt(next, { history: 'push' })];
}

type Props = { at: string | null; onChange: (at: string | null) => void };

/** Chooses a time in the past. */
export function AsOfButton({ at, onChange }: Props) {
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        icon={<History size={14} />}
        aria-haspopup="dialog"
        onPointerEnter={loadDialog}
        onFocus={loadDialog}
        onClick={() => setOpen(true)}
      >
        {t('As of')}
      </Button>
      <AsOfDialog
        open={open}
        onOpenChange={setOpen}
        at={at}
        onChoose={(next) => {
          setOpen(false);
          onChange(next);
        }}
      />
    </>
  );
}

/** Says that the page shows the past, and leads back to now. */
export function PastNotice({ at, onChange }: Props) {
  const t = useT();
  if (at === null) return null;
  return (
    <Notice
      live
      title={t('Shown as of {time}', { time: formatDateTime(at) })}
      action={
        <Button size="sm" onClick={() => onChange(null)}>
          {t('Show now')}
        </Button>
      }
    >
      {t('Nothing can be edited here.')}
    </Notice>
  );
}
