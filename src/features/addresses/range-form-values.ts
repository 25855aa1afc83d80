import type { IpRange, RangeInput, RangeUpdate } from '@/domain/ipam/ip-range';
import { msg, type Translate } from '@/lib/i18n/translator';

/** The form of a range. */
export type RangeValues = {
  kind: IpRange['kind'];
  first_address: string;
  last_address: string;
  description: string;
};

export const EMPTY_RANGE: RangeValues = { kind: 'dhcp', first_address: '', last_address: '', description: '' };

export const toRangeValues = ({ kind, first_address, last_address, description }: IpRange): RangeValues => ({
  kind,
  first_address,
  last_address,
  description,
});

export const toRangeInput = (values: RangeValues, subnet_id: string): RangeInput => ({ subnet_id, ...values });

/** Only what differs from what the form was filled from, and the version that had. */
export function toRangeUpdate(values: RangeValues, stored: IpRange): RangeUpdate {
  const before = toRangeValues(stored);
  const changed = Object.entries(values).filter(([field, value]) => value !== before[field as keyof RangeValues]);
  return { ...Object.fromEntries(changed), version: stored.version };
}

export const RANGE_KIND_LABELS: Record<IpRange['kind'], string> = { dhcp: msg('DHCP'), reserved: msg('Reserved') };

export const rangeLabels = (t: Translate) => ({
  kind: t('Kind'),
  first_address: t('First address'),
  last_address: t('Last address'),
  description: t('Description'),
});
