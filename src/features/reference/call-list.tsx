'use client';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { EmptyState } from '@/ui/empty-state';
import { SearchBox } from '@/ui/search-box';
import type { Tone } from '@/ui/status';
import type { ApiDocument, Call } from './api-document';

type Props = {
  document: ApiDocument;
  calls: readonly Call[];
  q: string;
  onSearch: (q: string) => void;
  chosen: string | undefined;
  onChoose: (operationId: string) => void;
};

/** The calls that the search finds, by part of the API. */
export function CallList({ document, calls, q, onSearch, chosen, onChoose }: Props) {
  const t = useT();
  return (
    <nav aria-label={t('API operations')} className="flex min-w-0 flex-col gap-2 lg:w-96 lg:shrink-0">
      <SearchBox label={t('Search operations')} value={q} onValueChange={onSearch} />
      {calls.length === 0 && (
        <EmptyState title={t('No operations match')}>{t('Search by path, method or keyword.')}</EmptyState>
      )}
      <div className="flex max-h-72 flex-col gap-3 overflow-y-auto lg:max-h-[calc(100dvh-12rem)]">
        {document.tags.map(({ name, description }) => {
          const own = calls.filter(({ tags }) => tags.includes(name));
          if (own.length === 0) return null;
          return (
            <section key={name} aria-label={t('Operations of {name}', { name })}>
              <h2 className="text-base">{name}</h2>
              <p className="text-sm text-pretty text-muted">{description}</p>
              <ul className="mt-1">
                {own.map(({ operationId, method, path, summary }) => (
                  <li key={operationId}>
                    <button
                      type="button"
                      aria-current={operationId === chosen ? 'true' : undefined}
                      title={summary}
                      onClick={() => onChoose(operationId)}
                      className="flex w-full items-center gap-2 rounded-md px-1.5 py-1 text-left -outline-offset-2 hover:bg-surface-2 aria-[current]:bg-surface-3"
                    >
                      <span className="w-16 shrink-0">
                        <MethodBadge method={method} />
                      </span>
                      <span className="mono min-w-0 [overflow-wrap:anywhere]">{path}</span>
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </nav>
  );
}

const TONES: Record<string, Tone> = { GET: 'info', POST: 'ok', PUT: 'warn', PATCH: 'warn', DELETE: 'danger' };

/** The method of a call; reading, adding, changing and deleting look different. */
export function MethodBadge({ method }: { method: string }) {
  return <Badge tone={TONES[method] ?? 'neutral'}>{method}</Badge>;
}
