'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, Route } from 'lucide-react';
import { OUTSIDE } from '@/domain/choices';
import { parseTypedPorts, typedPorts } from '@/domain/net/port-range';
import { protocolHasPorts } from '@/domain/policy/choices';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { URL_TEXT, useUrlValues } from '@/lib/url-state';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { Skeleton } from '@/ui/loading';
import { loadTab } from '../shared/load-tab';
import { AsOfButton, PastNotice, usePastTime } from '../shared/past/as-of';
import { EndpointPicker } from '../shared/policy-endpoints/endpoint-picker';
import { QueryView } from '../shared/query-view';
import { formatEnds, parseEnds, toEnd } from '../shared/reach/ends';
import { useDebounced } from '../shared/use-timers';
import { ServiceFields, toProtocol } from './service-fields';
import { useViewpoint, ViewpointField } from './viewpoint';

/** The answer needs more code than the question. */
const ReachAnswer = loadTab(() => import('./reach-answer').then((module) => module.ReachAnswer));

const URL = { from: URL_TEXT, to: URL_TEXT, protocol: URL_TEXT, ports: URL_TEXT, change_id: URL_TEXT };

/** Whether packets get from one end to another. The question is in the URL, so that it can be linked. */
export function PathCheck() {
  const t = useT();
  const trpc = useTRPC();
  const [values, set] = useUrlValues(URL);
  const [asOf, showTime] = usePastTime();
  const viewpoint = useViewpoint();
  const [from, to] = [parseEnds(values.from), parseEnds(values.to)];
  const protocol = toProtocol(values.protocol);
  const typed = useDebounced(values.ports ?? '');
  const asked = protocolHasPorts(protocol) && typed.trim() !== '' ? typed : '';
  const isWrong = asked !== '' && parseTypedPorts(asked) === null;
  const isComplete = from.length > 0 && to.length > 0 && !isWrong;
  const query = useQuery({
    ...trpc.reach.check.queryOptions({
      from: toEnd(from),
      to: toEnd(to),
      protocol,
      ports: asked === '' ? [] : typedPorts(asked),
      ...(values.change_id ? { change_id: values.change_id } : asOf !== null && { as_of: asOf }),
      ...viewpoint.input,
    }),
    enabled: isComplete,
    placeholderData: keepPreviousData,
  });
  const end = (side: 'from' | 'to', endpoints: readonly string[]) => (
    <div className="flex flex-col items-start gap-1">
      <div className="w-full">
        <EndpointPicker
          name={side}
          label={side === 'from' ? t('From') : t('To')}
          description={t(
            'Groups, workloads, networks, tags and addresses. Type ! in front of an endpoint to exclude it.',
          )}
          value={endpoints}
          onValueChange={(next) => set({ [side]: formatEnds(next.filter((one) => one !== OUTSIDE)) || null })}
          onBlur={() => undefined}
          error={undefined}
          tenantId={viewpoint.input.tenant_id ?? null}
          projectId={null}
          kind="tests"
        />
      </div>
      {!endpoints.includes(OUTSIDE) && (
        <button type="button" className="link min-h-6 text-sm" onClick={() => set({ [side]: OUTSIDE })}>
          {side === 'from' ? t('From anything outside') : t('To anything outside')}
        </button>
      )}
    </div>
  );
  return (
    <>
      <div className="grid gap-4 lg:grid-cols-[1fr_auto_1fr]">
        {end('from', from)}
        <div className="self-start lg:pt-6">
          <Button onClick={() => set({ from: values.to, to: values.from })} aria-label={t('Swap both ends')}>
            <ArrowLeftRight size={14} aria-hidden />
          </Button>
        </div>
        {end('to', to)}
      </div>
      <div className="grid items-start gap-4 sm:grid-cols-3">
        <ServiceFields
          protocol={protocol}
          onProtocolChange={(next) => set({ protocol: next, ...(!protocolHasPorts(next) && { ports: null }) })}
          ports={values.ports ?? ''}
          onPortsChange={(next) => set({ ports: next || null })}
          error={isWrong ? t('Enter ports from 1 to 65535, or ranges such as 8000-8010.') : undefined}
        />
        <ViewpointField {...viewpoint} />
      </div>
      {!values.change_id && (
        <>
          <div>
            <AsOfButton at={asOf} onChange={showTime} />
          </div>
          <PastNotice at={asOf} onChange={showTime} />
        </>
      )}
      {values.change_id && (
        <p>
          {t('By the rules that a change would leave.')}{' '}
          <button type="button" className="link min-h-6" onClick={() => set({ change_id: null })}>
            {t('Use the live rules')}
          </button>
        </p>
      )}
      {isComplete ? (
        <QueryView query={query} skeleton={<Skeleton className="h-40" />}>
          {(reach) => <ReachAnswer reach={reach} />}
        </QueryView>
      ) : (
        <EmptyState icon={<Route />} title={t('No question yet')}>
          {t('Choose both ends. The answer appears with the rules that decide.')}
        </EmptyState>
      )}
    </>
  );
}
