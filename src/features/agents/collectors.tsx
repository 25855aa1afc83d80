import type { FlowDiagnostics } from '@fabric/agent-contract';
import clsx from 'clsx';
import { formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { CodeBlock } from '@/ui/code-block';
import { Status } from '@/ui/status';
import { collectorName, collectorState, LastKnown } from '../shared/agents/agent-state';
import { collectorAdvice } from './collector-advice';

/**
 * What each collector does, and what helps those that lack something.
 * @param asOf time of a report that is too old to describe the current state; null for a current one
 */
export function Collectors({ diagnostics, asOf }: { diagnostics: FlowDiagnostics; asOf: string | null }) {
  const t = useT();
  return (
    <ul className="divide-y rounded-lg border bg-surface">
      {diagnostics.collectors.map((collector) => {
        const { tone, word } = collectorState(collector.state);
        const counts = Object.entries(collector.counts ?? {}).filter(([, value]) => value > 0);
        return (
          <li key={collector.name} className="grid gap-x-4 gap-y-1 px-4 py-3 md:grid-cols-[12rem_8rem_minmax(0,1fr)]">
            <h3 className="font-medium">{t(collectorName(collector.name))}</h3>
            <div>{asOf ? <LastKnown state={t(word)} at={asOf} /> : <Status tone={tone}>{t(word)}</Status>}</div>
            <div className={clsx('flex min-w-0 flex-col gap-2', asOf && 'text-faint')}>
              {collector.detail && <p className="[overflow-wrap:anywhere] text-muted">{collector.detail}</p>}
              {counts.length > 0 && (
                <p className="text-sm text-faint">
                  {counts.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${formatCount(value)}`).join(' · ')}
                </p>
              )}
              {collectorAdvice(t, collector, diagnostics).map(({ text, command }) => (
                <div key={text} className="flex flex-col gap-1">
                  <p className="text-pretty">{text}</p>
                  {command && (
                    <CodeBlock
                      code={command}
                      label={t('Command for {collector}', { collector: t(collectorName(collector.name)) })}
                      wrap
                    />
                  )}
                </div>
              ))}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
