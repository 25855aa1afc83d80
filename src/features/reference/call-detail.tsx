'use client';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { CodeBlock } from '@/ui/code-block';
import { Section } from '@/ui/section';
import { type ApiDocument, type Call, resolveResponse } from './api-document';
import { MethodBadge } from './call-list';
import { SchemaFields } from './schema-fields';
import { TryCall } from './try-call';

function Response({ document, call, status }: { document: ApiDocument; call: Call; status: string }) {
  const t = useT();
  const given = call.responses[status];
  const response = given && resolveResponse(document, given);
  if (!response) return null;
  const contents = Object.entries(response.content ?? {});
  return (
    <div className="flex flex-col gap-2">
      <p>{response.description?.replaceAll('`', '')}</p>
      {contents.length === 0 && <p className="text-muted">{t('No body.')}</p>}
      {contents.map(([type, { schema, example }]) => (
        <div key={type} className="flex flex-col gap-2">
          <p className="mono text-sm text-muted">{type}</p>
          <SchemaFields document={document} schema={schema} />
          {example !== undefined && <CodeBlock code={JSON.stringify(example, null, 2)} label={t('Example')} />}
        </div>
      ))}
    </div>
  );
}

/** One call: who may make it, what it takes and answers, with a form to try it. */
export function CallDetail({ document, call }: { document: ApiDocument; call: Call }) {
  const t = useT();
  const statuses = Object.keys(call.responses);
  const [status, setStatus] = useState(statuses[0] ?? '');
  const body = call.requestBody?.content['application/json']?.schema;
  return (
    <article aria-label={`${call.method} ${call.path}`} className="flex min-w-0 flex-1 flex-col gap-4">
      <div className="flex flex-col gap-1">
        <h2 className="flex flex-wrap items-center gap-2 text-base">
          <MethodBadge method={call.method} />
          <span className="mono min-w-0 [overflow-wrap:anywhere]">/api/v1{call.path}</span>
        </h2>
        <p className="text-pretty">{call.summary}</p>
        <p className="text-pretty text-muted">{call.description.replaceAll('`', '')}</p>
      </div>
      <TryCall call={call} />
      {body && (
        <Section title={t('Request body fields')}>
          <SchemaFields document={document} schema={body} />
        </Section>
      )}
      <Section
        title={t('Responses')}
        actions={
          <div className="flex flex-wrap gap-1">
            {statuses.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={one === status}
                onClick={() => setStatus(one)}
                className="min-h-6 rounded-sm aria-pressed:outline-2 aria-pressed:outline-accent"
              >
                <Badge tone={one < '300' ? 'ok' : one < '500' ? 'warn' : 'danger'}>{one}</Badge>
              </button>
            ))}
          </div>
        }
      >
        <Response document={document} call={call} status={status} />
      </Section>
    </article>
  );
}
