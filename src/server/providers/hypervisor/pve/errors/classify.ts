import { ProviderError, type ProviderErrorDetail } from '../../errors';
import { providerText } from '../answers/fields';
import { ERROR_RULES, type ErrorRule } from './error-rules';

/** An answer that is no success, with the body already looked at. */
export type Failure = {
  status: number;
  /** `message` of the body when there is one, else the reason phrase. */
  text: string;
  errors?: Record<string, string>;
};

const ruleFor = ({ status, text }: Failure): ErrorRule => {
  const rule = ERROR_RULES.find((r) => r.status[0] <= status && status <= r.status[1] && r.text.test(text));
  if (!rule) throw new Error(`no rule for HTTP status ${status}`);
  return rule;
};

const fill = (template: string, text: string, pattern: RegExp): string => {
  const groups = pattern.exec(text) ?? [];
  return template
    .replace(/\$(\d)/g, (_, index: string) => groups[Number(index)] ?? '')
    .replace(/ \(\)/, '')
    .slice(0, 300);
};

/** An error answer of the API, in the provider's terms. `passing` says that the same read may soon succeed. */
export class AnswerError extends ProviderError {
  readonly passing: boolean;

  constructor(failure: Failure, detail: ProviderErrorDetail = {}) {
    const rule = ruleFor(failure);
    const says = fill(rule.says, failure.text, rule.text);
    const fields = Object.entries(failure.errors ?? {}).map(([name, text]) => `${name}: ${text}`);
    const own = fields.length > 0 ? fields.join('; ') : failure.text;
    super(
      rule.code,
      own === '' ? says : `${says} (${failure.status} ${own})`.slice(0, 1000),
      fill(rule.remedy, failure.text, rule.text),
      {
        ...detail,
        status: failure.status,
        providerMessage: failure.text,
        ...(failure.errors && { errors: failure.errors }),
      },
    );
    this.passing = rule.passing ?? false;
  }
}

/** Field errors of a 400, bounded. */
export function fieldErrors(value: unknown, secret?: string): Record<string, string> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value)
    .slice(0, 20)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .map(([name, text]) => [name.slice(0, 100), providerText(text, secret)]);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
