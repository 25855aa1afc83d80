import { OUTSIDE } from '@/domain/choices';
import { paths } from '@/lib/paths';

/** Endpoints as the address of the page holds them: each escaped, because names may contain commas. */
export const formatEnds = (endpoints: readonly string[]): string =>
  endpoints.map((one) => one.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');

export const parseEnds = (text: string | null): string[] =>
  (text ?? '')
    .split(',')
    .filter(Boolean)
    .map((one) => one.replaceAll('%2C', ',').replaceAll('%25', '%'));

type Question = {
  from?: readonly string[];
  to?: readonly string[];
  protocol?: string | null;
  ports?: string | null;
  change_id?: string | null;
};

/** The path check with a question filled in. */
export const pathCheckPath = ({ from = [], to = [], ...rest }: Question): string =>
  paths.reach({ from: formatEnds(from), to: formatEnds(to), ...rest });

/** An end as it is asked: everything outside is an end by itself. */
export const toEnd = (endpoints: readonly string[]): 'outside' | string[] =>
  endpoints.includes(OUTSIDE) ? OUTSIDE : [...endpoints];
