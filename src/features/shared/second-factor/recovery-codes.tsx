'use client';
import { Download } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';
import { Notice } from '@/ui/notice';

function download(heading: string, codes: readonly string[]) {
  const text = `${heading}\n\n${codes.join('\n')}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'fabric-recovery-codes.txt';
  link.click();
  URL.revokeObjectURL(url);
}

/** Shows recovery codes, this once. */
export function RecoveryCodeList({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const t = useT();
  const save = () =>
    download(t('Recovery codes for {host}. Each code works once.', { host: window.location.host }), codes);
  return (
    <div className="flex flex-col gap-4">
      <Notice tone="warn" title={t('Save these codes now')}>
        {t(
          'Each code signs you in once if you lose your device. Codes are stored as hashes and cannot be shown again.',
        )}
      </Notice>
      <ul
        aria-label={t('Recovery codes')}
        className="grid gap-x-6 gap-y-1 rounded-md border bg-surface-2 p-3 sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code} className="mono">
            {code}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center justify-end gap-2">
        <span className="mr-auto flex items-center gap-2">
          <Button icon={<Download size={14} />} onClick={save}>
            {t('Download')}
          </Button>
          <CopyButton value={codes.join('\n')} label={t('Copy recovery codes')} />
        </span>
        <Button variant="primary" onClick={onDone}>
          {t('I have saved the codes')}
        </Button>
      </div>
    </div>
  );
}
