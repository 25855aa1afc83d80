import type { LiveNic } from '../firewall/live-state';
import { computeFlowContext } from '../flow-context/compute-flow-context';
import type { FlowContext, FlowFacts } from '../flow-context/flow-context';
import { type GuestContext, prepareGuestContext } from '../flow-context/guest-context';
import { observedAction } from '../flow-verdict';
import { switchOn } from './gather-facts';

/** What is evaluated of a flow: also how its packets were translated, which the firewall may have seen before or after. */
export type EscapeFlow = FlowFacts & {
  readonly state: string | null;
  /** `address`, `address:port`, `[address]:port`; null: not translated. */
  readonly translated_source: string | null;
  readonly translated_destination: string | null;
};

/** The guest as if its switches were on: where rules should filter and a switch is off, they deny nothing. */
export function switchOnGuest(guest: GuestContext, nics: readonly LiveNic[]): GuestContext {
  return prepareGuestContext({
    workload_id: guest.workload_id,
    state: switchOn(guest.state),
    nics: nics.map((nic) => ({ ...nic, firewall: true })),
    audit: [],
  });
}

function parseTranslated(text: string | null): { ip: string; port: number | null } | null {
  const match = text === null ? null : /^(?:\[([^\]]+)\]:(\d+)|([^:]+):(\d+)|(.+))$/.exec(text);
  const ip = match?.[1] ?? match?.[3] ?? match?.[5];
  const port = match?.[2] ?? match?.[4];
  return ip === undefined ? null : { ip, port: port === undefined ? null : Number(port) };
}

/** The flow under every address that the firewall may have seen. */
function* translations(flow: EscapeFlow): Generator<EscapeFlow> {
  const source = parseTranslated(flow.translated_source);
  const destination = parseTranslated(flow.translated_destination);
  const asSource = source && { source_ip: source.ip, source_port: source.port ?? flow.source_port };
  const asDestination = destination && {
    destination_ip: destination.ip,
    destination_port: destination.port ?? flow.destination_port,
  };
  if (asSource) yield { ...flow, ...asSource };
  if (asDestination) yield { ...flow, ...asDestination };
  if (asSource && asDestination) yield { ...flow, ...asSource, ...asDestination };
}

const denies = ({ verdict }: FlowContext) => verdict === 'drop' || verdict === 'reject';

/**
 * Whether the rules of a guest certainly deny the opening packet of a flow, under every address that the firewall may have seen.
 * @param context of the flow as it was reported
 * @param counts whether it counts what denies it
 */
export function isDenied(
  guest: GuestContext,
  flow: EscapeFlow,
  end: 'source' | 'destination',
  context: FlowContext,
  counts: (context: FlowContext) => boolean = () => true,
): boolean {
  const isCounted = (one: FlowContext) => denies(one) && counts(one);
  if (!isCounted(context) || context.direction === null) return false;
  if (flow.translated_source === null && flow.translated_destination === null) return true;
  for (const translated of translations(flow)) {
    if (!isCounted(computeFlowContext(guest, translated, end))) return false;
  }
  return true;
}

/** Whether a flow certainly passed: its answer was seen, or the firewall log says so. That packets were seen does not prove it. */
export const hasPassed = (flow: Pick<EscapeFlow, 'decision' | 'state'>, answered: boolean): boolean =>
  observedAction(flow) === 'allowed' || (flow.decision === 'observed' && answered);
