'use client';
import { FileUp } from 'lucide-react';
import { type DragEvent, useId, useMemo, useRef, useState } from 'react';
import type { ImportKind } from '@/domain/ipam/csv-import';
import { parseCsv } from '@/domain/ipam/parse-csv';
import { formatBytes } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { Mono } from '@/ui/values';

export type ImportFile = { name: string; content: string };

/** What the service accepts, as the browser counts it. */
const MAX_CHARACTERS = 15 * 1024 * 1024;
/** Beyond this a text is not shown in a box that can be edited. */
const EDITABLE = 200_000;
const PREVIEW_LINES = 6;
const FIRST_COLUMNS = 'cluster,network,address,…';

type Props = { kind: ImportKind; value: ImportFile | null; onChange: (file: ImportFile | null) => void };

/** The file to import: chosen, dropped or pasted. */
export function ImportSource({ value, onChange }: Props) {
  const t = useT();
  const textId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [over, setOver] = useState(false);
  const take = async (file: File | undefined) => {
    if (!file) return;
    setProblem(null);
    if (file.size > MAX_CHARACTERS) {
      setProblem(t('{name} is larger than 15 MB. Split the file.', { name: file.name }));
      return;
    }
    try {
      const content = await file.text();
      if (content.includes('\u0000'))
        setProblem(t('{name} is not a text file. Save the file as CSV (UTF-8).', { name: file.name }));
      else onChange({ name: file.name, content });
    } catch {
      setProblem(t('Could not read {name}.', { name: file.name }));
    }
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const editedName = (name: string) => {
    const mark = t('(edited)');
    return name.endsWith(` ${mark}`) ? name : `${name} ${mark}`;
  };
  const content = value?.content ?? '';
  const rows = useMemo(
    () => parseCsv(content).records.filter(({ cells }) => cells.some((cell) => cell !== '')).length,
    [content],
  );
  const large = value !== null && value.content.length > EDITABLE;
  const garbled = value?.content.includes('\uFFFD') ?? false;
  return (
    <div className="flex flex-col gap-2">
      <label htmlFor={textId} className="self-start font-medium">
        {t('CSV with header row')}
      </label>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is an extra way; the button beside it does the same. */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
        className={`flex flex-col gap-2 rounded-md border border-dashed p-3 ${over ? 'border-accent bg-accent-soft' : 'border-line-strong'}`}
      >
        <div className="flex flex-wrap items-center gap-2">
          <Button icon={<FileUp size={14} />} onClick={() => input.current?.click()}>
            {t('Choose file')}
          </Button>
          <span className="text-muted">{t('or drop the file here, or paste the text below.')}</span>
          <input
            ref={input}
            type="file"
            accept=".csv,text/csv,text/plain"
            aria-label={t('CSV file')}
            className="sr-only"
            tabIndex={-1}
            onChange={(event) => {
              void take(event.target.files?.[0]);
              // The same file may be chosen again after it was corrected.
              event.target.value = '';
            }}
          />
        </div>
        <textarea
          id={textId}
          rows={8}
          spellCheck={false}
          wrap="off"
          className="control mono resize-y px-2.5 py-1.5"
          placeholder={FIRST_COLUMNS}
          readOnly={large}
          value={large ? `${content.split('\n', PREVIEW_LINES).join('\n')}\n…` : content}
          onChange={(event) =>
            onChange(
              event.target.value === ''
                ? null
                : {
                    name: value ? editedName(value.name) : t('Pasted text'),
                    content: event.target.value,
                  },
            )
          }
        />
        {value && (
          <p className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
            <Mono>{value.name}</Mono>
            <span>
              {t('{n, plural, one {# row} other {# rows}}, {size}', {
                n: Math.max(0, rows - 1),
                size: formatBytes(new Blob([value.content]).size),
              })}
            </span>
            <Button size="sm" variant="ghost" onClick={() => onChange(null)}>
              {t('Remove')}
            </Button>
          </p>
        )}
      </div>
      {problem && (
        <Notice tone="danger" live>
          {problem}
        </Notice>
      )}
      {garbled && (
        <Notice tone="warn">
          {t('Could not read some characters: the file is not UTF-8. Save the file as “CSV UTF-8” to keep them.')}
        </Notice>
      )}
    </div>
  );
}
