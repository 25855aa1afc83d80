import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Cidr, cidrCovers, formatCidr, toNetwork } from '../net/cidr';
import { prefixTree } from './prefix-tree';

const cidr = fc
  .tuple(fc.constantFrom<4 | 6>(4, 6), fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 5 }))
  .map(([family, tail, length]): Cidr => {
    const shift = family === 4 ? 28n : 124n;
    return toNetwork({ address: { family, value: BigInt(tail) << shift }, prefix: length });
  });

it('nests every prefix in the narrowest one around it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(cidr, { selector: formatCidr, maxLength: 30 }), (cidrs) => {
      const nodes = prefixTree(cidrs, (item) => item);
      expect(nodes).toHaveLength(cidrs.length);
      for (const node of nodes) {
        const around = cidrs
          .filter((item) => item !== node.item && cidrCovers(item, node.item))
          .sort((a, b) => b.prefix - a.prefix);
        expect(node.parent?.item).toBe(around[0]);
        expect(node.descendants).toBe(cidrs.filter((item) => item !== node.item && cidrCovers(node.item, item)).length);
        for (const child of node.children) expect(child.parent).toBe(node);
      }
    }),
  );
});
