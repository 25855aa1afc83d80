'use client';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { rest } from '@/lib/rest';
import { URL_TEXT, useUrlValues, withInitial } from '@/lib/url-state';
import { buttonClass } from '@/ui/button-class';
import { EmptyState } from '@/ui/empty-state';
import { Skeleton } from '@/ui/loading';
import { PageHeader } from '@/ui/page-header';
import { QueryView } from '../shared/query-view';
import { type ApiDocument, listCalls, searchCalls } from './api-document';
import { CallDetail } from './call-detail';
import { CallList } from './call-list';

const PARSERS = { q: withInitial(URL_TEXT, ''), call: URL_TEXT };

function Browser({ document }: { document: ApiDocument }) {
  const t = useT();
  const [{ q, call: requested }, set] = useUrlValues(PARSERS);
  const all = useMemo(() => listCalls(document), [document]);
  const found = useMemo(() => searchCalls(all, q), [all, q]);
  const call = all.find(({ operationId }) => operationId === requested);
  return (
    <div className="flex min-w-0 flex-col gap-6 lg:flex-row">
      <CallList
        document={document}
        calls={found}
        q={q}
        onSearch={(text) => void set({ q: text || null }, { history: 'replace' })}
        chosen={call?.operationId}
        onChoose={(operationId) => void set({ call: operationId }, { history: 'push' })}
      />
      {call ? (
        <CallDetail key={call.operationId} document={document} call={call} />
      ) : (
        <div className="min-w-0 flex-1">
          {requested !== null && (
            <EmptyState title={t('Operation not found')}>{t('Select an operation from the list.')}</EmptyState>
          )}
          {requested === null && (
            <p className="max-w-prose text-pretty whitespace-pre-line text-muted">
              {document.info.description.replace(/([^\n])\n(?!\n)/g, '$1 ').replaceAll('`', '')}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

/** Every call of the API: search, documentation, a trial with the user's own session, and export as a program. */
export function Reference() {
  const t = useT();
  const query = useQuery({
    queryKey: ['openapi'],
    queryFn: ({ signal }) => rest<ApiDocument>('/openapi.json', { open: true, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <PageHeader
        title={t('API reference')}
        description={t('Everything in the console is also available through the REST API.')}
        actions={
          <a href="/api/v1/openapi.json" download="fabric-openapi.json" className={buttonClass({})}>
            <Download size={14} aria-hidden />
            {t('OpenAPI document')}
          </a>
        }
      />
      <QueryView query={query} skeleton={<Skeleton className="h-96" />}>
        {(document) => <Browser document={document} />}
      </QueryView>
    </>
  );
}
