import { OUTSIDE } from '@/domain/choices';
import type {
  CellVerdict,
  MatrixGroup,
  Reach,
  ReachedList,
  ReachPart,
  ReachPlaces,
  ReachService,
} from '@/domain/reach/reach';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';
import { addressesText, portsText, protocolsText } from '../shared/impact/impact-labels';

type Label = { word: string; tone: Tone };

export const ANSWER_LABELS: Record<Reach['answer'], { word: string; tone: 'ok' | 'warn' | 'danger' | 'info' }> = {
  yes: { word: msg('Yes: all of it is allowed'), tone: 'ok' },
  no: { word: msg('No: none of it is allowed'), tone: 'danger' },
  some: { word: msg('Some: part of it is allowed'), tone: 'warn' },
  unknown: { word: msg('Unknown: not everything could be evaluated'), tone: 'info' },
};

export const VERDICT_LABELS: Record<ReachPart['verdict'], Label> = {
  allowed: { word: msg('Allowed'), tone: 'ok' },
  denied: { word: msg('Denied'), tone: 'danger' },
  unknown: { word: msg('Unknown'), tone: 'unknown' },
};

export const CELL_LABELS: Record<CellVerdict, Label & { mark: string }> = {
  allowed: { word: msg('Allowed'), tone: 'ok', mark: '●' },
  partly: { word: msg('Partly allowed'), tone: 'warn', mark: '◐' },
  denied: { word: msg('Denied'), tone: 'danger', mark: '✕' },
  unknown: { word: msg('Unknown'), tone: 'unknown', mark: '?' },
  none: { word: msg('No pair of addresses'), tone: 'off', mark: '' },
};

export const SEEN_LABELS: Record<NonNullable<ReachedList['items'][number]['seen']>['state'], Label> = {
  seen: { word: msg('Seen'), tone: 'ok' },
  not_seen: { word: msg('Never seen'), tone: 'warn' },
  not_monitored: { word: msg('Not monitored'), tone: 'unknown' },
};

const REASONS: Record<NonNullable<Reach['reason']>['code'], string> = {
  nothing_resolved: msg('{subject} resolves to nothing.'),
  workload_without_address: msg('No address of {subject} is known.'),
  node_without_address: msg('The addresses of node {subject} could not be read.'),
  no_pair: msg('No workload or node exchanges packets with the other end.'),
  undecided: msg('Part of the firewall could not be read or is undecided.'),
};

export const reasonText = (t: Translate, { code, subject }: NonNullable<Reach['reason']>): string =>
  t(REASONS[code], { subject: subject ?? '' });

/** `tcp 443, 8000-8080`, `any`: a service on one line. */
export function serviceText(t: Translate, service: ReachService): string {
  const { protocols, ports, icmp, source_ports } = service;
  const name = protocolsText(t, service);
  return protocols !== null && ports === null && icmp === null && source_ports === null
    ? name
    : ports === null && icmp === null && source_ports === null
      ? t('any')
      : `${name} ${portsText(t, service)}`;
}

export const servicesText = (t: Translate, services: readonly ReachService[]): string =>
  [...new Set(services.map((one) => serviceText(t, one)))].join('; ');

/** What is outside is often many ranges: so many are named where it is a part of a sentence. */
const FEW_RANGES = 3;

/** Whether `placesText` leaves out ranges. */
export const isCut = ({ outside }: ReachPlaces): boolean => outside !== null && outside.networks.length > FEW_RANGES;

/** All addresses of what is outside. */
export const outsideText = (t: Translate, { outside }: ReachPlaces): string =>
  outside === null ? t('Anything outside') : addressesText(t, outside);

/** The places of one end of a part, the first of them by name or range. */
export function placesText(t: Translate, places: ReachPlaces): string {
  const { outside } = places;
  if (places.kind === 'outside') {
    if (outside === null || !isCut(places)) return outsideText(t, places);
    const left_out = outside.left_out + outside.networks.length - FEW_RANGES;
    return addressesText(t, { ...outside, networks: outside.networks.slice(0, FEW_RANGES), left_out });
  }
  const names = places.items.map(({ name }) => name);
  const more = places.items_total - names.length;
  return [...names, ...(more > 0 ? [t('and {n, number} more', { n: more })] : [])].join(', ');
}

/** The name of a row or column of the matrix. */
export const groupName = (t: Translate, { id, name }: MatrixGroup): string =>
  id === OUTSIDE ? t('Anything outside') : id === 'none' ? t('No group') : name;
