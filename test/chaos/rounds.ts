import type { Client, HeldRequest, RoundOutcome } from 'tenon/client';
import { answerTo, isTemporary, isUsedState, kindOf, pauseAfter, readText } from './clients.js';
import type { Random } from './random.js';
import type { Report } from './report.js';
import type { Outcome } from './tasks.js';

/** The clients of one principal: one in front of all nodes, and one at each node. */
export interface RoundClients {
  readonly front: Client;
  readonly nodes: readonly Client[];
}

/** Makes one call of several rounds, in one of four ways in turn. */
export function makeRounds(
  number: number,
  clients: RoundClients,
  random: Random,
  report: Report,
): Promise<Outcome | undefined> {
  switch (number % 4) {
    case 0:
      return callThrough(number, clients, report);
    case 1:
      return callByHand(number, clients, report);
    default:
      return payTwice(number % 4 === 2 ? 'pay' : 'pay_once', number, clients, random, report);
  }
}

/** The client makes all rounds. A call that fails is made again as a new order. */
async function callThrough(
  number: number,
  { front }: RoundClients,
  report: Report,
): Promise<Outcome | undefined> {
  for (let attempt = 1; ; attempt++) {
    const order = `call-${number}-${attempt}`;
    try {
      const result = await front.callTool('order', { order });
      report.count('rounds: sent', 3);
      return { order, result: readText(result) };
    } catch (error) {
      if (!mayGoOn(order, error, 'calls that failed', report)) return undefined;
      await pauseAfter(error);
    }
  }
}

/** Each round is sent again, from its last state, until it is answered: no state that a client has may be of no use. */
async function callByHand(
  number: number,
  { front }: RoundClients,
  report: Report,
): Promise<Outcome | undefined> {
  const order = `hand-${number}`;
  let outcome = await untilAnswered(order, () => begin(front, 'order', order), report);
  while (outcome?.held) {
    const { held } = outcome;
    outcome = await untilAnswered(order, () => front.resume(held, answersTo(held)), report);
  }
  return outcome && { order, result: readText(outcome.result) };
}

/**
 * Presents a state that is good for one use at two nodes at the same time. Returns the result of the one that passed;
 * undefined if the state was used up, but no node lived to tell.
 */
async function payTwice(
  tool: string,
  number: number,
  { front, nodes }: RoundClients,
  random: Random,
  report: Report,
): Promise<Outcome | undefined> {
  const order = `${tool}-${number}`;
  const asked = await untilAnswered(order, () => begin(front, tool, order), report);
  const held = asked?.held;
  if (!held) return undefined;
  for (;;) {
    const { passed, errors } = await presentTwice(held, nodes, random, report);
    if (passed.length > 1) report.problem(`the state of ${order} passed twice`);
    const result = passed[0]?.result;
    if (result) {
      report.count('single use: states passed');
      for (const error of errors) report.count(`single use: refused beside it, ${kindOf(error)}`);
      return { order, result: readText(result) };
    }
    if (errors.some(isUsedState)) {
      report.count('single use: states used up, but the answer was lost');
      return undefined;
    }
    for (const error of errors)
      if (!mayGoOn(order, error, 'states presented again', report)) return undefined;
    await pauseAfter(errors[0]);
  }
}

/** Sends the next round of a held request to two nodes at the same time. */
async function presentTwice(
  held: HeldRequest,
  nodes: readonly Client[],
  random: Random,
  report: Report,
): Promise<{ passed: RoundOutcome[]; errors: unknown[] }> {
  const first = random.below(nodes.length);
  const second = (first + 1 + random.below(nodes.length - 1)) % nodes.length;
  const both = [nodes[first], nodes[second]] as Client[];
  const presented = await Promise.allSettled(both.map(node => node.resume(held, answersTo(held))));
  report.count('single use: states presented', 2);
  report.count('rounds: sent', 2);
  return {
    passed: presented.flatMap(one => (one.status === 'fulfilled' ? [one.value] : [])),
    errors: presented.flatMap(one => (one.status === 'rejected' ? [one.reason] : [])),
  };
}

function begin(client: Client, tool: string, order: string): Promise<RoundOutcome> {
  return client.begin('tools/call', { name: tool, arguments: { order } });
}

async function untilAnswered(
  order: string,
  send: () => Promise<RoundOutcome>,
  report: Report,
): Promise<RoundOutcome | undefined> {
  for (;;) {
    try {
      report.count('rounds: sent');
      return await send();
    } catch (error) {
      if (!mayGoOn(order, error, 'sent again', report)) return undefined;
      await pauseAfter(error);
    }
  }
}

/** Counts a failure. One that does not pass by itself breaks the promise that a round can be sent again. */
function mayGoOn(order: string, error: unknown, what: string, report: Report): boolean {
  report.count(`rounds: ${what}, ${kindOf(error) ?? 'untyped'}`);
  if (isTemporary(error)) return true;
  report.problem(`${order} failed: ${error}`);
  return false;
}

function answersTo({ questions }: HeldRequest): Parameters<Client['resume']>[1] {
  return Object.fromEntries(
    Object.entries(questions).map(([name, question]) => {
      const { message } = question.params as { message: string };
      return [name, { action: 'accept', content: { name: answerTo(message) } }];
    }),
  );
}

/** Checks the result of a call against its order. */
export function checkRounds({ order, result }: Outcome, report: Report): void {
  const { steps: _, ...answers } = result;
  const roles = Object.keys(answers);
  const isRight = roles.length > 0 && roles.every(role => answers[role] === answerTo(`${role} of ${order}`));
  if (!isRight) report.problem(`${order} got a wrong answer: ${JSON.stringify(result)}`);
}
