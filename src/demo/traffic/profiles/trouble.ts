import { KB, MB, type Profile, tcp } from './profile';

/** Traffic that needs investigation. */
export const troubleProfiles: readonly Profile[] = [
  // Every public address gets these.
  {
    name: 'background-scan',
    from: { outside: 'scanners' },
    to: ['lb-01', 'lb-02', 'vpn-01', 'mail-gw-01', 'bastion-01'],
    protocol: 'tcp',
    ports: [22, 23, 3389, 445, 5900, 3306, 5432, 6379, 8080, 139],
    lanes: 6,
    period: 5,
    duration: [1, 1],
    rhythm: 'always',
    up: 60,
    down: 0,
    refused: true,
  },
  // An exposed staging server, and password guessing on it.
  tcp('password-guessing', { outside: 'password_guesser' }, ['stage-web-01'], 22, {
    lanes: 1,
    period: 6,
    duration: [1, 2],
    rhythm: 'always',
    up: 4 * KB,
    down: 5 * KB,
  }),
  // An external attacker uses the gap in the rules of the ERP database.
  tcp('database-theft', { outside: 'database_thief' }, ['erp-db-01'], 3306, {
    lanes: 1,
    period: 60,
    duration: [3, 10],
    rhythm: 'always',
    up: 60 * KB,
    down: 18 * MB,
  }),
  // web-03 is compromised: it calls home, sends much at night, and scans the database network.
  tcp('beacon', ['web-03'], { outside: 'command_server' }, 443, {
    lanes: 1,
    period: 20,
    duration: [1, 1],
    rhythm: 'always',
    up: 1400,
    down: 900,
  }),
  tcp('exfiltration', ['web-03'], { outside: 'command_server' }, 443, {
    lanes: 2,
    period: 16,
    duration: [10, 16],
    rhythm: 'exfiltration',
    up: 60 * MB,
    down: 300 * KB,
  }),
  {
    name: 'lateral-scan',
    from: ['web-03'],
    to: ['pg-01', 'pg-02', 'redis-01', 'mq-01', 'object-01'],
    protocol: 'tcp',
    ports: [22, 445, 1433, 3306, 5432, 6379, 9200, 11_211, 27_017],
    lanes: 12,
    period: 1,
    duration: [1, 1],
    rhythm: 'scanning',
    up: 60,
    down: 54,
    refused: true,
  },
];
