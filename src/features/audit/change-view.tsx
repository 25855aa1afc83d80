'use client';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { type ChangeLine, changeDiff, leafText } from './change-diff';

/** Before and after of a change, field by field. What stayed the same is folded away. */
export function ChangeView({ before, after }: { before: unknown; after: unknown }) {
  const t = useT();
  const [all, setAll] = useState(false);
  const lines = changeDiff(before, after);
  if (lines.length === 0) return <p className="text-muted">{t('This action has no data.')}</p>;
  const same = lines.filter((line) => line.kind === 'same').length;
  const shown = all ? lines : lines.filter((line) => line.kind !== 'same');
  return (
    <div className="flex flex-col gap-2">
      {shown.length === 0 ? (
        <p className="text-muted">{t('No differences.')}</p>
      ) : (
        <table className="w-full table-fixed border-collapse text-left">
          <thead>
            <tr className="text-sm text-muted">
              <th className="w-2/5 border-b py-1 pr-2 font-medium">{t('Field')}</th>
              <th className="border-b py-1 pr-2 font-medium">{t('Before')}</th>
              <th className="border-b py-1 font-medium">{t('After')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((line) => (
              <Line key={line.path} line={line} />
            ))}
          </tbody>
        </table>
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

function Line({ line }: { line: ChangeLine }) {
  const t = useT();
  const cell = 'border-b py-1 pr-2 align-top mono [overflow-wrap:anywhere] whitespace-pre-wrap';
  return (
    <tr className={line.kind === 'same' ? 'text-muted' : undefined}>
      <th scope="row" className={`${cell} font-normal`}>
        {line.path || t('value')}
      </th>
      <td className={cell}>
        {line.kind === 'changed' || line.kind === 'removed' ? (
          <del className="rounded-sm bg-danger-soft px-0.5 text-danger no-underline">{leafText(line.before)}</del>
        ) : line.kind === 'same' ? (
          leafText(line.before)
        ) : null}
      </td>
      <td className={cell}>
        {line.kind === 'changed' || line.kind === 'added' ? (
          <ins className="rounded-sm bg-ok-soft px-0.5 text-ok no-underline">{leafText(line.after)}</ins>
        ) : line.kind === 'same' ? (
          leafText(line.after)
        ) : null}
      </td>
    </tr>
  );
}
