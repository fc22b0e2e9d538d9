export type { TestAnswers } from './answers.js';
export { connectTest, type TestClient, type TestOptions } from './connect.js';
export {
  type ConnectRevision,
  type EachRevisionOptions,
  eachRevision,
  type RegisterTest,
  type RevisionTest,
} from './each-revision.js';
export type { Heard } from './heard.js';
export { textOf } from './text.js';
