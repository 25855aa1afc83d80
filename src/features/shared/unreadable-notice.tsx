import type { z } from 'zod';
import type { UnreadableNote } from '@/domain/policy-preview';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';

/** What could not be read, and what to do about it; nothing when all of it could. */
export function UnreadableNotice({ notes }: { notes: readonly z.output<typeof UnreadableNote>[] }) {
  const t = useT();
  if (notes.length === 0) return null;
  return (
    <Notice tone="warn" title={t('Not everything could be read')}>
      <ul className="flex flex-col gap-1">
        {notes.map((note) => (
          <li key={`${note.part} ${note.node ?? ''} ${note.vnet ?? ''} ${note.code}`}>
            <span className="mono">{[note.part, note.node, note.vnet].filter(Boolean).join(' ')}</span>: {note.message}
            {note.remedy && <span className="font-medium"> {note.remedy}</span>}
          </li>
        ))}
      </ul>
      <p className="text-muted">{t('What could not be read is unknown, not off and not empty.')}</p>
    </Notice>
  );
}
