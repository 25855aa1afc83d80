import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { listReplacedTokens } from '../queries/notification-facts';
import type { Collector } from './collector';

/** A replacement stays open for so long. */
const WINDOW_MS = 24 * 3_600_000;

/** Nodes whose token was replaced while their agent reported: whoever had it before is locked out. */
export const replacedTokens: Collector = async () => {
  const since = new Date(clock.now().getTime() - WINDOW_MS).toISOString();
  return {
    facts: (await listReplacedTokens(db, since)).map(({ node_id, node_name, token_replacement: replaced }) => {
      const by = replaced.user_name === null ? '' : `, made by ${replaced.user_name}`;
      const machine = replaced.machine_id === replaced.previous_machine_id ? 'the same machine' : 'another machine';
      return {
        condition: 'agent_token_replaced',
        key: `${node_id} ${replaced.enrolment_id}`,
        object_kind: 'agent',
        object_id: node_id,
        object_name: node_name,
        detail: `The token of ${node_name} was replaced at ${replaced.at} by enrolment token ${replaced.enrolment_id}${by}, from ${machine}, while its agent reported.`,
      };
    }),
  };
};
