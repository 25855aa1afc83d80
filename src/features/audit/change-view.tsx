'use client';
import { useState } from 'react';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { changeDiff, type EntryChange, type FieldChange, isFields } from './change-diff';
import { fieldLabel } from './change-labels';
import { type Names, valueText } from './change-values';
import { useChangeNames } from './use-change-names';

/** Before and after of a change, field by field, as the console calls them. Unchanged fields are shown on demand. */
export function ChangeView({ before, after }: { before: unknown; after: unknown }) {
  const t = useT();
  const [all, setAll] = useState(false);
  const names = useChangeNames(before, after);
  // Of policies, `changes` repeats what before and after show.
  const lines = changeDiff(before, after).filter(({ path }) => !(isFields(before) && path[0] === 'changes'));
  if (lines.length === 0) return <p className="text-muted">{t('This action has no data.')}</p>;
  const same = lines.filter((line) => line.kind === 'same').length;
  const shown = all ? lines : lines.filter((line) => line.kind !== 'same');
  return (
    <div className="flex flex-col gap-2">
      {shown.length === 0 ? (
        <p className="text-muted">{t('No differences.')}</p>
      ) : (
        <Changes lines={shown} names={names} />
      )}
      {same > 0 && (
        <div>
          <Button size="sm" variant="ghost" onClick={() => setAll((now) => !now)}>
            {all
              ? t('Hide unchanged fields')
              : t('Show {n, plural, one {# unchanged field} other {# unchanged fields}}', { n: same })}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The table of changes. */
export function Changes({ lines, names }: { lines: readonly FieldChange[]; names: Names }) {
  const t = useT();
  return (
    <table className="w-full table-fixed border-collapse text-left">
      <thead>
        <tr className="text-sm text-muted">
          <th className="w-1/4 border-b py-1 pr-2 font-medium">{t('Field')}</th>
          <th className="border-b py-1 pr-2 font-medium">{t('Before')}</th>
          <th className="border-b py-1 font-medium">{t('After')}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <Line key={line.path.join('.')} line={line} names={names} />
        ))}
      </tbody>
    </table>
  );
}

const CELL = 'border-b py-1 pr-2 align-top [overflow-wrap:anywhere] whitespace-pre-wrap';

function Line({ line, names }: { line: FieldChange; names: Names }) {
  const t = useT();
  const { path, kind, before, after, entries } = line;
  const text = (value: unknown) => valueText(t, path, value, names);
  return (
    <tr className={kind === 'same' ? 'text-muted' : undefined}>
      <th scope="row" className={`${CELL} font-normal text-muted`}>
        {fieldLabel(t, path)}
      </th>
      {entries ? (
        <td className={CELL} colSpan={2}>
          <Entries entries={entries} path={path} names={names} />
        </td>
      ) : (
        <>
          <td className={CELL}>{kind === 'same' ? text(before) : before !== undefined && <Old>{text(before)}</Old>}</td>
          <td className={CELL}>{kind === 'same' ? text(after) : after !== undefined && <New>{text(after)}</New>}</td>
        </>
      )}
    </tr>
  );
}

const Old = ({ children }: { children: string }) => (
  <del className="rounded-sm bg-danger-soft px-0.5 text-danger no-underline">{children}</del>
);
const New = ({ children }: { children: string }) => (
  <ins className="rounded-sm bg-ok-soft px-0.5 text-ok no-underline">{children}</ins>
);

const ENTRY_LABELS: Record<EntryChange['kind'], string> = {
  added: msg('Added'),
  removed: msg('Removed'),
  changed: msg('Changed'),
  moved: msg('Moved'),
};

/** What became of the entries of a list, one line each. */
function Entries({ entries, path, names }: { entries: readonly EntryChange[]; path: readonly string[]; names: Names }) {
  const t = useT();
  const text = (value: unknown) => valueText(t, path, value, names);
  return (
    <ul className="flex flex-col gap-1">
      {entries.map(({ kind, before, after }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and a record never changes
        <li key={place} className="flex flex-wrap items-baseline gap-x-2">
          <span className="text-sm text-muted">{t(ENTRY_LABELS[kind])}</span>
          {kind === 'moved' ? (
            <span>{[text(after), movedText(t, before, after)].filter(Boolean).join(' ')}</span>
          ) : (
            <span className="flex min-w-0 flex-col">
              {before !== undefined && <Old>{text(before)}</Old>}
              {after !== undefined && <New>{text(after)}</New>}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** From where to where a rule moved. */
function movedText(t: Translate, before: unknown, after: unknown): string {
  const [from, to] = [before, after].map((entry) => (isFields(entry) ? entry.position : undefined));
  if (typeof from !== 'number' || typeof to !== 'number') return '';
  return t('from position {from} to {to}', { from: from + 1, to: to + 1 });
}
