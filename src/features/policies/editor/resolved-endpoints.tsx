'use client';
import type { PolicyDefinition } from '@/domain/policy/policy';
import type { ResolvedEndpoint } from '@/domain/policy-endpoints';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Spinner } from '@/ui/loading';
import { Status } from '@/ui/status';
import { UNRESOLVED_LABELS } from '../../shared/policy-endpoints/endpoint-labels';
import { useEndpointNames } from '../../shared/policy-endpoints/use-endpoint-names';

type Definition = Pick<PolicyDefinition, 'direction' | 'sources' | 'targets'>;

type Side = 'sources' | 'targets';

/** Whether rules are placed on this side: then its workloads count, else its addresses. */
const isPlacementSide = (direction: Definition['direction'], side: Side) =>
  direction === 'both' || direction === (side === 'targets' ? 'in' : 'out');
const isPeerSide = (direction: Definition['direction'], side: Side) =>
  direction === 'both' || direction === (side === 'targets' ? 'out' : 'in');

type Props = {
  definition: Definition;
  /** What is known by now, also of endpoints that were chosen before. */
  endpoints: readonly ResolvedEndpoint[];
  failed: boolean;
};

/** Each endpoint of both sides with what it resolves to, and how many workloads get rules. */
export function ResolvedEndpoints({ definition, endpoints, failed }: Props) {
  const t = useT();
  const { direction, sources, targets } = definition;
  const found = new Map(endpoints.map((item) => [item.endpoint, item]));
  const places = new Set(
    (['sources', 'targets'] as const)
      .filter((side) => isPlacementSide(direction, side))
      .flatMap((side) => definition[side].flatMap((endpoint) => found.get(endpoint)?.workloads ?? []))
      .map((workload) => workload.workload_id),
  );
  const isOpen = [...sources, ...targets].some((endpoint) => !found.has(endpoint));
  return (
    <>
      {(['sources', 'targets'] as const).map((side) => (
        <div key={side} className="flex flex-col gap-1">
          <h3 className="text-sm text-muted">{side === 'sources' ? t('From') : t('To')}</h3>
          {definition[side].length === 0 ? (
            <p className="text-faint">{t('Nothing selected')}</p>
          ) : (
            <ul className="flex flex-col gap-1">
              {definition[side].map((endpoint) => (
                <Endpoint
                  key={endpoint}
                  text={endpoint}
                  found={found.get(endpoint)}
                  place={isPlacementSide(direction, side)}
                  peer={isPeerSide(direction, side)}
                />
              ))}
            </ul>
          )}
        </div>
      ))}
      <p className="border-t pt-2">
        {isOpen ? (
          <span className="text-muted">{failed ? t('Not resolved') : t('Resolving…')}</span>
        ) : places.size === 0 ? (
          <span className="text-warn">{t('No workload gets rules.')}</span>
        ) : (
          t.rich('Rules are placed on <b>{n, plural, one {# workload} other {# workloads}}</b>.', {
            n: places.size,
            b: (inside) => <strong>{inside}</strong>,
          })
        )}
      </p>
    </>
  );
}

type EndpointProps = { text: string; found: ResolvedEndpoint | undefined; place: boolean; peer: boolean };

function Endpoint({ text, found, place, peer }: EndpointProps) {
  const t = useT();
  const shown = useEndpointNames([text])(text);
  if (!found) {
    return (
      <li className="flex items-center gap-2">
        <span className="mono">{shown}</span> <Spinner size={12} />
      </li>
    );
  }
  const faults = [
    ...(place && found.place_reason ? [{ role: t('No rules are placed there'), reason: found.place_reason }] : []),
    ...(peer && found.peer_reason ? [{ role: t('No rule matches its traffic'), reason: found.peer_reason }] : []),
  ];
  // In one of its two roles it may do; then only the other one is named.
  const dead = faults.length === Number(place) + Number(peer);
  const details = [
    ...found.workloads.map((workload) => `${workload.name} (${workload.cluster_name} ${workload.vmid})`),
    ...(peer ? found.cidrs : []),
  ];
  const more = found.workloads_total - found.workloads.length + (peer ? found.cidrs_total - found.cidrs.length : 0);
  return (
    <li className="flex flex-col">
      <details className="min-w-0">
        <summary className="flex min-w-0 flex-wrap items-baseline gap-x-2 rounded-sm">
          <span className="mono [overflow-wrap:anywhere]">{shown}</span>
          {!dead && <span className="text-muted">{formatSummary(t, found, peer)}</span>}
        </summary>
        {details.length > 0 && (
          <ul className="mono max-h-48 overflow-y-auto py-1 pl-4 text-muted">
            {details.map((line) => (
              <li key={line}>{line}</li>
            ))}
            {more > 0 && <li>{t('and {n, number} more', { n: more })}</li>}
          </ul>
        )}
      </details>
      {dead && faults[0] && (
        <div>
          <Status tone="danger">
            <span className="whitespace-normal">{t(UNRESOLVED_LABELS[faults[0].reason])}</span>
          </Status>
          <p className="text-sm text-muted">
            {t('This endpoint produces no rules. It never widens the policy to all addresses.')}
          </p>
        </div>
      )}
      {!dead &&
        faults.map(({ role, reason }) => (
          <p key={role} className="text-sm text-muted">
            {t('{role}: {reason}.', { role, reason: inSentence(t, t(UNRESOLVED_LABELS[reason])) })}
          </p>
        ))}
      {!dead && peer && found.without_address > 0 && (
        <p className="text-sm text-warn">
          {t('{n, number} without a known address; their traffic does not match.', { n: found.without_address })}
        </p>
      )}
    </li>
  );
}

/** A sentence after a colon: German begins it with a capital, too. */
const inSentence = (t: Translate, text: string) =>
  t.locale === 'de' ? text : text.replace(/^./, (first) => first.toLowerCase());

function formatSummary(t: Translate, found: ResolvedEndpoint, peer: boolean): string {
  const parts = [];
  if (found.workloads_total > 0)
    parts.push(t('{n, plural, one {# workload} other {# workloads}}', { n: found.workloads_total }));
  if (peer && found.peer_reason === null) {
    parts.push(
      found.kind === 'any'
        ? t('all addresses')
        : t('{n, plural, one {# address or network} other {# addresses and networks}}', { n: found.cidrs_total }),
    );
  }
  return parts.join(', ');
}
