'use client';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from './button';

/** Copies `value` to the clipboard and says so. `label` names what is copied: "Copy fingerprint". */
export function CopyButton({ value, label, size = 'sm' }: { value: string; label?: string; size?: 'sm' | 'md' }) {
  const t = useT();
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    // Absent on plain HTTP outside localhost.
    if (!navigator.clipboard) return setState('failed');
    navigator.clipboard.writeText(value).then(
      () => setState('copied'),
      () => setState('failed'),
    );
  };
  return (
    <>
      <IconButton
        label={
          state === 'failed' ? t('The browser blocks copying here. Select the text instead') : (label ?? t('Copy'))
        }
        size={size}
        icon={state === 'copied' ? <Check size={14} className="text-ok" /> : <Copy size={14} />}
        onClick={copy}
      />
      <span className="sr-only" role="status">
        {state === 'copied' ? t('Copied') : state === 'failed' ? t('Could not copy') : ''}
      </span>
    </>
  );
}
