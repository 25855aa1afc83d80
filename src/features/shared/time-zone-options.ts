import type { Option } from '@/ui/option';

let options: readonly Option[] | undefined;

/** The time zones that this browser knows, UTC first. */
export function timeZoneOptions(): readonly Option[] {
  options ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map((zone) => ({
    value: zone,
    label: zone,
  }));
  return options;
}
