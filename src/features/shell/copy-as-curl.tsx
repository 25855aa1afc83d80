'use client';
import { Check, SquareTerminal } from 'lucide-react';
import { usePathname, useSearchParams } from 'next/navigation';
import { Suspense, useEffect, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from '@/ui/button';
import { part } from '@/ui/part';

/** Pages that show nothing that the API would answer with one call. */
export const WITHOUT_CALL = ['/account', '/addresses/import', '/jobs', '/policies/new', '/reference'];

const command = part(() => import('./page-calls'));

function CopyButton() {
  const t = useT();
  const pathname = usePathname();
  const search = useSearchParams();
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  if (WITHOUT_CALL.includes(pathname)) return null;
  const copy = async () => {
    // Loaded since the pointer reached the page: browsers allow to copy only right after a press.
    const { commandOfPage } = command.now() ?? (await command.load());
    await navigator.clipboard.writeText(commandOfPage(pathname, search, window.location.origin));
  };
  return (
    <>
      <IconButton
        label={state === 'failed' ? t('The browser blocks copying here') : t('Copy as curl')}
        icon={state === 'copied' ? <Check size={16} className="text-ok" /> : <SquareTerminal size={16} />}
        onClick={() =>
          copy().then(
            () => setState('copied'),
            () => setState('failed'),
          )
        }
      />
      <span className="sr-only" role="status">
        {state === 'copied' ? t('Copied') : state === 'failed' ? t('Could not copy') : ''}
      </span>
    </>
  );
}

/** What the page shows, with its search and filters, as a command for a shell. Not shown where no call answers it. */
export function CopyAsCurl() {
  return (
    <Suspense>
      <CopyButton />
    </Suspense>
  );
}
