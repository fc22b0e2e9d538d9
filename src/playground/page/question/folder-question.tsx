import type { WaitingQuestion } from '../state/questions.js';
import { readFolders } from './folders.js';
import { TextAnswer } from './text-answer.jsx';

/** A question for the folders that the client works in. */
export function FolderQuestion(props: { question: WaitingQuestion }) {
  return (
    <TextAnswer
      question={props.question}
      label="Folders to share"
      hint="One path on each line, or none. The page reads nothing: the server only learns the names."
      placeholder="/home/me/recipes"
      toResult={text => ({ roots: readFolders(text) })}
    />
  );
}
