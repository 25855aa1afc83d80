import type { LiveRuleList } from '../../firewall-types';
import type { GetOptions, PveClient } from '../client';
import type { ApiPath } from '../http/encode';
import { EMPTY_DIGEST, RuleAnswer } from './answer-schemas';
import { readWholeList } from './read-whole-list';

const MAX_RULES = 20_000;

/**
 * The rules at `path`, in their order. Rules of guests are answered by whichever node is asked, so a dead node does not
 * hide them.
 * @throws ProviderError
 */
export async function readRules(client: PveClient, path: ApiPath, options: GetOptions = {}): Promise<LiveRuleList> {
  const answers = await readWholeList(client, path, 'firewall rules', RuleAnswer, MAX_RULES, options);
  const items = answers.map(({ digest: _, ...rule }) => rule).sort((a, b) => a.pos - b.pos);
  return { items, digest: answers[0]?.digest ?? EMPTY_DIGEST };
}
