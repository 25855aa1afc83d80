'use client';
import { lowerLabel } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { CopyButton } from './copy-button';

/** Text to be copied into a terminal or file. `label` names it: "Install command". */
export function CodeBlock({ code, label, wrap = false }: { code: string; label: string; wrap?: boolean }) {
  const t = useT();
  return (
    <div className="relative rounded-md border bg-surface-2">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by key.
        tabIndex={0}
        className="overflow-x-auto rounded-md"
      >
        <pre
          className={`mono w-max min-w-full p-3 pr-10 ${wrap ? '!w-auto whitespace-pre-wrap [overflow-wrap:anywhere]' : ''}`}
        >
          <code>{code}</code>
        </pre>
      </section>
      <span className="absolute top-1.5 right-1.5 rounded-md bg-surface-2">
        <CopyButton value={code} label={t('Copy {label}', { label: lowerLabel(t, label) })} />
      </span>
    </div>
  );
}
