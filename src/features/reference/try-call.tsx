'use client';
import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { SegmentedControl } from '@/ui/segmented-control';
import { TextInput } from '@/ui/text-input';
import { type ApiParameter, type Call, typeText } from './api-document';
import { buildApiCall, createCallDraft, findCallProblem, valueKey } from './call-request';
import { codeSample, type Language } from './code-samples';
import { sendCall } from './send-call';

const LANGUAGES = [
  { value: 'curl', label: 'curl' },
  { value: 'javascript', label: 'JavaScript' },
  { value: 'python', label: 'Python' },
] as const satisfies readonly { value: Language; label: string }[];

function ParameterField({
  parameter,
  value,
  onChange,
}: {
  parameter: ApiParameter;
  value: string;
  onChange: (value: string) => void;
}) {
  const t = useT();
  const id = useId();
  return (
    <div className="grid gap-1 sm:grid-cols-[12rem_minmax(0,1fr)] sm:items-baseline">
      <label htmlFor={id} className="min-w-0">
        <span className="mono">{parameter.name}</span>
        <span className="ml-1 text-sm text-faint">
          {parameter.required ? t('{place}, required', { place: parameter.in }) : parameter.in}
        </span>
      </label>
      <div className="min-w-0">
        <TextInput id={id} mono value={value} onChange={(event) => onChange(event.target.value)} className="w-full" />
        <p className="text-sm text-muted [overflow-wrap:anywhere]">
          {typeText(t, parameter.schema)}
          {parameter.description && `. ${parameter.description}`}
        </p>
      </div>
    </div>
  );
}

/** A call to fill in and send with the user's own session; the same call as a program; and the response. */
export function TryCall({ call }: { call: Call }) {
  const t = useT();
  const [draft, setDraft] = useState(() => createCallDraft(call));
  const [language, setLanguage] = useState<Language>('curl');
  const [confirming, setConfirming] = useState(false);
  const bodyId = useId();
  const request = buildApiCall(call, draft);
  const problem = findCallProblem(t, call, draft);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const sending = useMutation({
    mutationFn: () => {
      stop.current?.abort();
      stop.current = new AbortController();
      return sendCall(request, stop.current.signal);
    },
  });
  const forAgents = call.security.some((one) => 'node_token' in one);
  const send = () => (call.method === 'GET' ? sending.mutate() : setConfirming(true));
  const answer = sending.data;
  return (
    <>
      <Section
        title={t('Try this operation')}
        description={t('Requests use your session and change real data.')}
        actions={
          <Button
            icon={<Send size={14} />}
            pending={sending.isPending}
            disabledReason={forAgents ? t("Only a node's agent can call this operation.") : problem}
            onClick={send}
          >
            {t('Send request')}
          </Button>
        }
      >
        <div className="flex flex-col gap-3">
          {(call.parameters ?? []).map((parameter) => {
            const key = valueKey(parameter.in, parameter.name);
            return (
              <ParameterField
                key={key}
                parameter={parameter}
                value={draft.values[key] ?? ''}
                onChange={(value) => setDraft({ ...draft, values: { ...draft.values, [key]: value } })}
              />
            );
          })}
          {call.requestBody && (
            <div className="flex flex-col gap-1">
              <label htmlFor={bodyId}>
                {t('Body')}
                <span className="ml-1 text-sm text-faint">
                  {call.requestBody.required ? t('JSON, required') : t('JSON, optional')}
                </span>
              </label>
              <textarea
                id={bodyId}
                rows={Math.min(18, Math.max(4, draft.body.split('\n').length))}
                spellCheck={false}
                className="control mono !h-auto w-full px-2.5 py-1.5"
                value={draft.body}
                onChange={(event) => setDraft({ ...draft, body: event.target.value })}
              />
            </div>
          )}
          {!call.parameters && !call.requestBody && <p className="text-muted">{t('No parameters or body.')}</p>}
        </div>
      </Section>
      {(answer || sending.error) && (
        <Section title={t('Response')}>
          {sending.error ? (
            <Notice tone="danger" live title={t('No response')}>
              {sending.error.message}
            </Notice>
          ) : (
            answer && (
              <div className="flex flex-col gap-2" role="status">
                <p className="flex flex-wrap items-center gap-2">
                  <Badge tone={answer.status < 300 ? 'ok' : answer.status < 500 ? 'warn' : 'danger'}>
                    {String(answer.status)}
                  </Badge>
                  <span className="text-muted">
                    {[`${answer.milliseconds} ms`, answer.type, answer.shortened && t('truncated')]
                      .filter(Boolean)
                      .join(', ')}
                  </span>
                </p>
                {answer.text !== '' && <CodeBlock code={answer.text} label={t('Response')} />}
              </div>
            )
          )}
        </Section>
      )}
      <Section
        title={t('Code sample')}
        description={t('The code reads your API token from FABRIC_TOKEN.')}
        actions={
          <SegmentedControl label={t('Language')} value={language} onValueChange={setLanguage} options={LANGUAGES} />
        }
        bare
      >
        <CodeBlock code={codeSample(language, request, window.location.origin)} label={t('Code sample')} />
      </Section>
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title={t('Send {method} {path}?', { method: call.method, path: call.path })}
        confirmLabel={t('Send request')}
        tone={call.method === 'DELETE' ? 'danger' : 'primary'}
        pending={false}
        error={null}
        onConfirm={() => {
          setConfirming(false);
          sending.mutate();
        }}
      >
        {t('Runs with your permissions: {summary}', { summary: call.summary })}
      </ConfirmDialog>
    </>
  );
}
