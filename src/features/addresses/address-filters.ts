import { parseCidr } from '@/domain/net/cidr';
import { normalizeMac } from '@/domain/net/mac-address';
import { msg } from '@/lib/i18n/translator';
import { typed } from '../shared/list/filters';

/** Longest text of an IPv6 prefix. */
const MAX_CIDR = 64;
const MAX_MAC = 17;

/** Addresses within a prefix. */
export const WITHIN_FILTER = typed(msg('Within'), (t) => ({
  placeholder: '10.0.0.0/24',
  maxLength: MAX_CIDR,
  check: (text) => (parseCidr(text) ? null : t('Enter a prefix such as 10.0.0.0/24.')),
}));

/** Addresses of one interface. */
export const MAC_FILTER = typed(msg('MAC'), (t) => ({
  placeholder: 'BC:24:11:00:00:01',
  maxLength: MAX_MAC,
  check: (text) => (normalizeMac(text) ? null : t('Enter a MAC address such as BC:24:11:00:00:01.')),
  format: (text) => normalizeMac(text) ?? text,
}));
