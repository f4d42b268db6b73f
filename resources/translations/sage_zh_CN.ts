<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
  <context>
    <name>Actions</name>
    <message>
      <source>&amp;About SAGE Desktop</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Accept Version</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Add Host…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Add Operators…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Bar from Hot Memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Cancel Operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Command Palette…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Compare Two…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Connect</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Copy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Demote</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Disconnect</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Earlier Round</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Edit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Edit…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Examine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;File</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Find</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Fold Unchanged Lines</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Forget Host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Help</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Hide Finished</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Hosts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Import Benchmark…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Keyboard Shortcuts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Label…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Larger Text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Later Round</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Log</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;New Workspace…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Next Change</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Normal Text Size</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Open Workspace…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Pause After Current</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Pin to Hot Memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Previous Change</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Prompts Waiting for You</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Queue</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Quit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Redo</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Reject Version</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Reset Evidence…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Review</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Set Up Run…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Settings of the Host…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Settings…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Smaller Text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Trajectory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Undo</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;User Guide</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;View</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>A&amp;udit of Adoption…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Accep&amp;t</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Add a machine of your SSH configuration</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Admit the item to hot memory now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>All commands and their keys</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Archi&amp;ve</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Begin an empty workspace in a window of its own</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>C&amp;ode Colours</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Change title, category, summary or rule; older revisions are kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Choose who writes the kernels, where they are judged, and the method</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Clean &amp;Up</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Close the window; running work continues next time</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Colour keywords, types and comments</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cop&amp;y File</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy the selected lines or fields</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Count the tokens of every rule anew, with another counter when you like</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Dark colours</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Decide on &amp;Waiting Items</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Describe an operator of your own</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Dis&amp;able</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Do again what was taken back</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>E&amp;xport Version…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Enlarge all text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Exclude the item from retrieval and hot memory; nothing is deleted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Find and run any command by its name</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Finish the operator being worked on, then wait</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Forget utility and counts of the item, after a change of its meaning</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Give the rule of the item a life of its own</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Give the selected operators a name to tell batches apart</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Go to the difference before</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Go to the next difference</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Go to the search field of the panel in front</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>H&amp;osts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hide lines that are the same in both versions</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>How to use SAGE Desktop</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Ignore &amp;White Space</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Interpreter, folder, set-up line, devices</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Keep the item in hot memory whatever its density</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Keep the newer version from being the best one and from export</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Let go of the line; what runs there goes on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Light colours</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Light or dark, as the desktop is</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>List only operators that still wait or run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>List pending and quarantined items and decide on them with single keys</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Look at everything work on the host needs, with what to mend</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Look at two items side by side, to merge them or to say that they contradict each other</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Method, models, judge, limits and appearance</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Move &amp;Down</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Move &amp;Up</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Never admit the item to hot memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>New O&amp;perator…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Note that a person accepts the newer version</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>One &amp;Column</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open a copy of the file in the editor of this computer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open another workspace file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open in &amp;Editor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pr&amp;omote</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Put a pending or quarantined item away; it stays readable</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Put a pending or quarantined item into use</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Put all panels back to their places</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Put the item away for good; it stays readable and can be brought back</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Put the whole file of the newer version on the clipboard</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Queue operators of the catalogue and of imported benchmarks</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Queue the selected operator again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rate how well adoption records fit the code, on a random sample</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Re&amp;ject</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Re&amp;sults</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Re&amp;try Operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reach the selected host now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Recount To&amp;kens…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reduce all text</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Remove old jobs and files of ours from the host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reset La&amp;yout</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Return the item to cold memory now</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Run &amp;Next</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>S&amp;tart Page</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show both versions in one column</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show every round with prompts and replies</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show or hide prompts of the manual model and the place for replies</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show or hide the list of operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show or hide what the engine and the window report</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show the experiences and the hot memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show the kernels of the selected operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show the machines kernels are compiled and run on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show the metrics over all finished operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show the round after</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show the round before</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Sp&amp;lit Rule…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stop the selected operator; what it learned until now is kept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Take back the last change to the memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Take over the tasks of a benchmark checkout</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Take the host off the list; nothing changes on the machine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Text as large as the desktop asks</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Theme: &amp;Dark</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Theme: &amp;Light</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Theme: Follow the &amp;System</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Treat lines as equal when only blanks differ</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Version, workspace, licence</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What to do first: demonstration, hosts, models, benchmarks</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Work on the selected operator before all others that wait</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Work on the selected operator earlier</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Work on the selected operator later</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Work through the queue in the background</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Write the files of the newer version into a folder</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>AdoptionList</name>
    <message>
      <source>Adoption records</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Followed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hot rules followed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing was retrieved in this round.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show item {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show this item in the memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The retrieved items of this round come from the recording.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>score {0:.1f}</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>BudgetBar</name>
    <message>
      <source>{used:,} of {budget:,} tokens ({share:.1f} %)</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>CaseTable</name>
    <message>
      <source>Case</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Latency</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Results of the test cases</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>dtype</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>max abs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>max rel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>ulp</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} (hidden)</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>CatalogueDialog</name>
    <message>
      <source>Add</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Add Operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Add {0} Operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Any benchmark</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Any category</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Any level</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Batch label</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Batch label, to tell runs apart (optional)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Benchmark</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cases</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Category</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Data types</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Level</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Level {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reading the operators…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Search operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Select with Shift and Ctrl, or all that are shown with Ctrl+A.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} folders could not be read: {1}</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>CommandPalette</name>
    <message>
      <source>Command</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Commands</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Type the name of a command</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>CompareDialog</name>
    <message>
      <source>Compare {0} and {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Content of both items</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Keep {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Merge</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Merging keeps the content of the chosen item, counts the evidence of both once, and archives the other item. A contradiction is shown with both items and changes nothing else. Undo takes either back.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>They Contradict Each Other</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>utility {0}, adopted {1} of {2} retrievals, by {3} operators</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>CrashDialog</name>
    <message>
      <source>A mistake in SAGE Desktop</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy Report</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Report</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Something went wrong that should not have.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Your workspace is safe: every step is stored before it is acted upon. You can go on; if the window behaves strangely, restart it. Please attach this report when you tell us.</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Curation</name>
    <message>
      <source> and {0} more</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Redo {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Undo {0}</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>CustomDialog</name>
    <message>
      <source>A small working operator is written there to start from.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Browse…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Computing the reference of every case…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Create</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Created in</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Creating the folder…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Folder of Operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Folder of operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>New Operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Open Folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>PascalCase, for example FusedAxpy</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Passes: {0} cases, references took {1} ms.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reading the operator…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save and Check</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save and Queue</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>operator.toml says what is asked, reference.py what is right. Only a child process runs it.</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Desktop</name>
    <message>
      <source>Open Workspace</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Workspaces (*.sage);;All files (*)</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>DiagnosisView</name>
    <message>
      <source>Asked of the memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Diagnosis</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Diagnosis before this round</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing was diagnosed in this round.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Outcome</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>DiffDocument</name>
    <message numerus="yes">
      <source>%n unchanged line(s) hidden</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>added</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>changed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>line {0} {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>removed</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>DiffView</name>
    <message numerus="yes">
      <source>%n unchanged line(s)</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>Comparison of two kernel versions</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Events</name>
    <message>
      <source>Promoted to hot memory: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>asking the memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>begins</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>best so far</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>cancelled</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>checking the adoption records</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>compiling and running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>continues</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>done</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>failed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>judged</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>thinking about the last result</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>waiting for the generator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} · {1} · round {2}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0}: an episode is void; it earns no credit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0}: round {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0}: the reply of round {1} needs correction: {2}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0}: {1} episode closed, z = {2:+.3f}, {3} items credited</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Figures</name>
    <message>
      <source>adopted / retrieved</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>density ×10⁻³</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>frequency p</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>over {0} episodes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>u p / tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>utility u</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>FilterBox</name>
    <message>
      <source>{0} found</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>FormDialog</name>
    <message>
      <source>Cancel</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>GainChart</name>
    <message>
      <source>Gain by operator: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>no correct kernel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>no timed kernel</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>GuidePage</name>
    <message>
      <source>Pages</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>HeatMap</name>
    <message>
      <source>all right</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>elements {0} to {1}: {2}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>rows {0} to {1}, columns {2} to {3}: {4}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>up to {0:.0%} wrong</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Help</name>
    <message>
      <source>About SAGE Desktop</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Command</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Keyboard Shortcuts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Keys</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>SAGE Desktop {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>User Guide</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What it does</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Writes Ascend C kernels with a frozen language model that learns across tasks through an external memory. Apache License 2.0.

Workspace: {0}</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>HostEditing</name>
    <message>
      <source>Add Host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Add and Connect</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>All that are found; or for example 0, 2</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Devices</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Devices are borrowed through</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Evaluations at a time</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Folder of ours</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>For example: 0, 2</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>For example: source /usr/local/Ascend/.../set_env.sh</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Half the cores</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Interpreter</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Lease the dies of a card together</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Lock files</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Lock folder</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name in ~/.ssh/config</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name of the host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No further names were found in your configuration.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Python with torch that runs the judge there</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Set-up line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Settings of {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Shared by all users of the machine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The site's queue where there is one</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The site's task-submit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Use a name of ~/.ssh/config.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>User, port, keys and jumps come from your ~/.ssh/config; nothing of it is copied or changed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0!r} is no host name.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0!r} is no list of device numbers.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>~/.sage/&lt;name&gt; when empty; better on a local disk</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>HostPage</name>
    <message>
      <source>AI core</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cards</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Device</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>End or Remove</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Found, and what to do</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>HBM</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Health</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Health ({0} to mend)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Holds</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Job</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Jobs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Jobs ({0})</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Jobs go on when the window is closed. An interrupted operator takes up its job by itself.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Leased</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>List Jobs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Log</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Log of the host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Processor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Read Again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Running jobs are ended, ended ones removed from the host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Set Aside</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show Fingerprint…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>State</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Subject</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Try Again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Try {0}. </source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Use Again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Used by</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>nobody</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>not among the devices you allow</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>set aside by you</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>yes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>°C</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>HostQuestions</name>
    <message>
      <source>Answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy Fingerprint</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Do you trust {0}?</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Fingerprint</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>I compared the fingerprint with one I was told</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Kept in memory while the program runs, never written anywhere.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Key type</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The server asks:</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>This key was never confirmed. Compare the fingerprint with what the administrator of the machine tells you. Whoever owns this key will see and run everything that is sent there.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Trust This Key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} asks</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>HostsPanel</name>
    <message>
      <source>Add…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Answers</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Does not answer</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Examined: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hosts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Kernels are judged on this computer. Add a machine of your ~/.ssh/config to use it too.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No host yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Not asked yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>not ready</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>ready</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} was taken off the list; nothing changed on the machine.</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>HostsService</name>
    <message>
      <source>Reached: Python {0}, {1} CPUs</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} MB freed, {1} MB kept</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>HotPage</name>
    <message>
      <source>As in the Prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Density ×10⁻³</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hot block of the prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Last Out</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Last Out {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Last out</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Next in Line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Next in Line {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Next in line</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No rule is resident yet.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Resident rules</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Residents</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Residents {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rule</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The next consolidation would keep {0} rules of {1:,} tokens: {2} enter, {3} leave.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Try another budget B</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Try another budget; nothing is changed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Validated and waiting for a rule: {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What if B were</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>barred by a person</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>denser rules took its place</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>its item is not in use</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>its utility is not above zero</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>p</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>u</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>used too rarely</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0:,} tokens</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ImportDialog</name>
    <message>
      <source>A checkout of NPUKernelBench, MultiKernelBench, CANN Bench or KernelBench. Task code is read, never run; experts' answers are not opened.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Benchmark Checkout</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Browse…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cases</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Category</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Faults</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>File</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Folder of the checkout</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Folder of the checkout, or one near its top</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Import Benchmark</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Import Only</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Import and Queue</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Level {0} · {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Problem</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reading the tasks…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Task</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tasks</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Would come in</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Would not</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Would not ({0})</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Writing the operators…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} operators were written; {1} faults are listed above.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0}: {1} tasks with {2} cases, {3} tasks with faults are left out.</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ItemDelegate</name>
    <message>
      <source>barred</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>pinned</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ItemEditor</name>
    <message>
      <source>&amp;Category</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Failure</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Rule</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Summary</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Title</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Wrong code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>C&amp;orrect code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Edit {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>R&amp;eason</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>T&amp;ype</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Why you change it (kept in the history)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Written by the model once the item passes the gates.</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ItemModel</name>
    <message>
      <source>Adopted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Density</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Different operators that adopted it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Episodes in which it was adopted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Episodes in which it was retrieved</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Experience</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Frequency</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Retrieved</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Title, type and category</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>U(m): utility times frequency for each token in hot memory, in thousandths</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Utility</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>p: share of episodes that use it</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>u: what adopting this experience was worth, from −0.2 to 1</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ItemPageView</name>
    <message>
      <source> (undone)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source> It is pinned.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Adopted by (rounds): {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Adoption records ({0})</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Barred from hot memory by a person; it can still be retrieved.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Came with utility {0} from {1} retrievals that have no traces here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Compare with {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Contradicts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Earlier content ({0} changes)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Experience</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Failure or inefficiency</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Gates to hot memory: adopted {0} of {1}, by {2} of {3} operators, utility above zero: {4}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>It waits for its rule.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>It waits for room.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Items like this one</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No other item in use shares its words.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Origin and history</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Passed the gates.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Relevance to the words of this item, from 0 to 100</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Resident in hot memory: its rule is part of every prompt.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rule in hot memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show this item</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Summary</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The keys work in the list after F7 (Decide on Waiting Items).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>This experience was {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>This item waits for your decision: it is not used until you accept it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Uses of the rule ({0})</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Utility</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What it was made from</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Wrong and correct code</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>no</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>yes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} · round {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} · {1} · round {2}</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ItemTable</name>
    <message>
      <source>Any category</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Any lifecycle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Any origin</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Any state</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Any type</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Category</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Change the search or the filters.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Experiences</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Lifecycle</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No experience found</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing waits for a decision</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Origin</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Press F7 to see all items again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Search experiences</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>State</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Type</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Waiting: {0:,}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0:,} selected</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Kinds</name>
    <message>
      <source>Algorithmic optimization</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Api misuse</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Api usage</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Build failure</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Compile error</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Debugging</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Host error</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Memory error</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Performance</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Performance optimization</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Precision</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Precision error</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Runtime failure</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Sync error</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tiling error</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Wrong result</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>LiveWork</name>
    <message numerus="yes">
      <source>%n operator(s) were added to the queue.</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>A prompt waits for your reply</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>New Workspace</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The operator was stopped meanwhile.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The queue is finished</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>This prompt no longer waits.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Workspaces (*.sage)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} Waiting {1} s.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} done, {1} failed, {2} waiting</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>LogModel</name>
    <message>
      <source>Message</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Source</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Time</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>LogPanel</name>
    <message>
      <source>All messages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Errors only</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Filter messages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Least level shown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Warnings and errors</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>MainWindow</name>
    <message>
      <source>Add</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>An operator is being worked on.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bar</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cancel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Commands</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Demote</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Disable</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Edit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hosts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>It can stop now and will continue at the same step when SAGE Desktop is opened again.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Keep Running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Log</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Notice</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pause</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pin</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Promote</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Queue</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Results</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Retry</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Review</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Set Up</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Start</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stop and Quit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Switch between light and dark</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tools</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Trajectory</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ManualPane</name>
    <message>
      <source>Choose “You, by hand” as the model in Queue → Set Up Run, then start.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Copy Prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No prompt is waiting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Paste the reply here, exactly as the model wrote it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompts waiting for you</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reply</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Send Reply</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Waiting prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} characters</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>MemoryPanel</name>
    <message>
      <source>Experience</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hot Memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hot Memory {0}</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>MemoryQuestions</name>
    <message>
      <source>Reason</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Recount</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Recount Tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reset</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reset the Evidence of {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Split</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Split the Rule of {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The rule becomes an item of its own, without evidence: it has to earn its place. The source keeps its evidence, leaves hot memory and may be given another rule.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Utility, counts and adopting operators start from nothing and the item leaves hot memory. Undo brings them back.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Why you change it (kept in the history)</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>MessageList</name>
    <message>
      <source>Messages of compiler and checks</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Methods</name>
    <message>
      <source>Adoption-traced utility and utility-guided consolidation.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Every retrieved experience gets the terminal score; retrieval only, without resident rules.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Random UGC</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Refinement</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Repairs and optimizes within each operator; nothing is retrieved and nothing is kept.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Retrieves by relevance from the initial memory; no experience is written, no utility is learnt.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>SAGE</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>SAGE without consolidation into resident rules.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>SAGE, but every retrieved experience gets the terminal score; adoption is recorded and not used.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>SAGE, but resident rules are drawn at random among the eligible ones, within the same budget.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Static RAG</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Uniform Credit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Value Memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>w/o UGC</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>MismatchView</name>
    <message>
      <source>Case and output</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Columns of a tile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No visible case of this round has wrong elements with a picture of them.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rows of a tile</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tile columns</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tile length</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tile rows</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>off</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>output</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0:,} of {1:,} elements of {2} differ; the worst is {3}, expected {4:.6g}, got {5:.6g}.</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ModelsPage</name>
    <message>
      <source>Add</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Add the server that writes the kernels.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Address</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>As it is shown here</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>As the server lists it; Test shows what is served</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>As the server says</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Asking the server…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Context, tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Environment variable or entry of the keyring</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Key is in</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Leave empty if it is stored already</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Model profiles</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Price per million</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Price, {0} tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Remove</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reply, tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Store a key</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Store in Keyring</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stored in the keyring of this system.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Test</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>cached</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>http://host:8000/v1</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>reply</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Operations</name>
    <message>
      <source>Close the other process to make changes here.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>This workspace is in use by another SAGE process; this window can only read.</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>OpinionView</name>
    <message>
      <source>Accept</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Comment</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>From now on a rejected version is never the best one and is not exported. Credit that was given before stays.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reject</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Save Comment</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Take Back</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What you think of this version; kept with it</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>OverviewRuler</name>
    <message>
      <source>Where the file changed; click to go there</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>QueueModel</name>
    <message>
      <source>Batch</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Best</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Fastest correct kernel, and where the number comes from</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>From</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Gain</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Judged by</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Latency by round: red ticks are kernels that failed, the dot is the best</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Latency of the first correct kernel divided by the best latency</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Name, state, objective worked on and time spent</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reason</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rounds</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rounds used of the budget T, shared by correctness and speed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>State</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopping</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Trend</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Written by</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>at most {0} left</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>before: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>the catalogue</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>QueuePanel</name>
    <message>
      <source>All batches</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Batch</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Everything is finished</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Finished operators are hidden.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Label</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <source>Name of the batch of %n operator(s); empty for none</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>Queue</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Queue of operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Queue → Add Operators (Ctrl+N) chooses some of the catalogue.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The queue is empty</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} of {1} finished</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} · about {1} left</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>RecountDialog</name>
    <message>
      <source>&amp;Counter</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>&amp;Where</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Every rule is counted anew and hot memory is chosen again, as one change that Undo takes back. Costs of different counters are never mixed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>MODEL@http://server:port</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Path of a tokenizer.json</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>R&amp;eason</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ResultsPanel</name>
    <message>
      <source>Copy as CSV</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Correct by level: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>First correct kernel against the best one, by operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Median of first correct latency / best latency; {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Median of torch_npu latency / best latency, both measured on the same device</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Needs latencies of torch_npu measured on the same device</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No operator is finished yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Origin of the numbers</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Results</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Share of {0} operators with a candidate that builds</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The metrics appear with the first one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>compile (CR)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>correct (ER)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>faster than torch_npu (Fast 1.0)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>level {0}: {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>median against torch_npu</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>median gain (S_self)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>n/a</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} of {1} operators have a kernel that passes every case</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ReviewHeader</name>
    <message>
      <source> · best</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source> · first correct</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Best</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>First correct</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Latest round</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Newer version</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Nothing</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Older version</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Round before</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Round {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Round {0}: {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Run of {0}: best</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Run of {0}: last round</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>accuracy {0:.2f} %</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>bound by {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>max abs {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>max rel {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>no changes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} of {1} cases pass</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0}{1:.1f} % against round {2}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0}{1:.1f} % against the other run</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ReviewPanel</name>
    <message>
      <source>Adoption</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cases</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Diagnosis</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Export {0} to</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Files of the kernel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Find in this file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Messages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No kernel yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Opinion</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Press Run (F5); the first kernel of an operator appears here as soon as it is written.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The kernel was exported to {0}.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} (changed)</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>ReviewVersions</name>
    <message>
      <source>case {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>core {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>limit {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} times</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>RoundStrip</name>
    <message>
      <source>Click: show it. Shift+click: compare with it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Round {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rounds</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>best</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>first correct</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>RunDialog</name>
    <message>
      <source>A recorded session</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>All other parameters and limits are in Settings.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Asking the model and the hosts…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Browse to a session.jsonl.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Browse…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check at least one.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hosts that judge kernels</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Judged on</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Method</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Models…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No host is chosen.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>No session file is named.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operators at a time</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompts appear in the window; paste each into any chat and its reply back.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Recorded Session</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Replies are played back from a file into an empty workspace; no model runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rounds per operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Served at {0}, key in {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Session</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Session file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Sessions (*.jsonl)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Set Up Run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Start</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>This computer (CPU twin)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Use Without Starting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Who writes the kernels, where they are judged, and by which method.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>You, by hand</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>session.jsonl</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>SettingRow</name>
    <message>
      <source>Back to the default</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Back to the default, {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>On</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Settings</name>
    <message>
      <source>Adoptions counted per</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Adoptions needed K_ado</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Adoptions needed before an item is validated.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Appearance</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Candidates before reranking</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Check gates again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Colours</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Consolidation</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cost per operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cost per run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Count in η</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Count open episodes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Credit of residents</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Credit rule</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Diagnostics per trajectory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Diagnostics the model may ask for in a trajectory; they cost no round. 0: none.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Distinct adopting operators needed before an item is validated.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Drop residents used less than</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Drop useless residents</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>English</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Failure penalty δ</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Follow the desktop, or stay light or dark.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Frequency after demotion</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Frequency counts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Frequency step μ</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Gates and hot memory (UGC)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Gates count</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hazard counts as correct</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>How episodes of concurrent workers are ordered: `sequential`, `batch` or `free` (R).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>In the currency of the model's prices.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Items retrieved k</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Items retrieved per round.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Judge</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Language</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Language of the window; follows the desktop unless chosen. Takes effect at the next start.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Language, colours, text size and notifications.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Leave out residents' sources</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Limits</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Memory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Method</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Models</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Non-adoption penalty β</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operator names</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operators at a time</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Operators needed K_op</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Optimization rounds without a faster kernel after which the episode ends; 0: never.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Order of episodes</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Parameters of SAGE for new trajectories; the defaults are the paper's.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Patience</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Penalty of an item that was retrieved but not adopted, xi = -beta.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Penalty of an unsuccessful episode, z = -delta.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Points added to the desktop's text size.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Points the paper leaves open</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Processor</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Processor the CPU twin models for new runs.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompt and reply tokens of one operator.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompt and reply tokens of the whole run.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Refinement rounds of a trajectory, shared by its corr and opt episodes.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Residents whose access frequency falls below this leave although the budget is slack; 0: off (K).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Retrieval</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rounds T</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Seconds of model and judge for one operator.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Seconds of model and judge over the whole run.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Seconds per operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Seconds per run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Servers that write kernels. Keys stay in the environment or the keyring.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Share of word search w</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show a desktop notification when the queue is finished.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Size of each of the two candidate lists (sparse, dense) before reranking.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Smallest 1 - T_best / T_first that counts as an improvement (D).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Smallest improvement</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Smallest step of the utility update.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Smallest step η_min</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Step of the access-frequency moving average of residents.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Strength of utility in reranking, s = s_rel (1 + gamma u).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Strength of utility γ</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tell the end</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Text size</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Title as rule</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Token budget B</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Token budget of hot memory.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tokens per operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Tokens per run</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Trajectories at a time when the stream is not sequential (R).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Trajectory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Utility (ATU)</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Weight of the sparse part in s_rel; the dense part has 1 - w.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What happens to an item that does not fit the budget: `skip` it, or `stop` the scan (M).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What may be spent; checked before each request. 0 means no limit.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>When a rule does not fit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Where and how kernels are compiled, checked and timed.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether a cold item's access frequency counts `retrieved` or `adopted` episodes (H).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether a once promoted item keeps its moving average (`ema`) or returns to n_ret / n_elig (`ratio`) when it is demoted (H).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether a pass with hazard closes a corr episode (D).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether a validated item must still pass the gates to become a candidate (I).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether adoptions are counted per `episode` or per `trajectory` (C).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether an episode already open when an item is written counts in its n_elig (G).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether eta uses the retrieval count `before` or `after` this episode's increment (A).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether operator names are told apart `casefold` or `exact` (B).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether residents with U(m) &lt;= 0 leave hot memory although the budget is slack (J).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether the gates count `adopted` or `retrieved` episodes; the latter when nothing is traced (W).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether the memory is `evolving`, only read (`static`: nothing is learnt), read from the finished file of another run (`frozen`), or not there (`none`: nothing is retrieved either) (W).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether the sources of resident rules are left out before pooling (P).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether the title serves as rule when no model writes one, marked `auto_title` (L).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Whether used residents keep their utility (`frozen`), are credited from a budget of their own (`own`), or share the episode's (`shared`) (O).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>`atu`, `uniform` (xi = z for all of R), `uniform-split` (z / |R|), `adopted-only` (beta = 0) or `none` (W).</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>`utility`, `random` (order drawn from the episode's seq) or `off`.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>dark</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>light</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>system</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>简体中文</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>SettingsDialog</name>
    <message>
      <source>Close</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pages</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reset This Page</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Search settings</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Settings</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>StartPage</name>
    <message>
      <source>Add Host…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Add…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Any server with the OpenAI interface, local or far; or be the model yourself and paste replies from any chat. Begin in a workspace of your own.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Choose operators</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Connect a host</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Connect a model</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Import…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>It writes Ascend C kernels with a language model that stays as it is, and learns across operators through an external memory you can read, correct and carry along.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Machines of your ~/.ssh/config compile and run kernels. The doctor says what is missing there and how to mend it; without NPUs the CPU twin models latencies.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Models…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>New Workspace…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>New…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Run the Queue</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>See it work</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Set Up Run…</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Show this page when the program starts</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The catalogue holds the 88 operators of NPUKernelBench and 16 more. Import the checkout of a benchmark, or describe an operator of your own in two files.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The demonstration plays replies back that were written by hand. Compiling, checking, credit and memory are real, on this computer, with no model and no NPU.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Welcome to SAGE Desktop</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>StatusBar</name>
    <message>
      <source>Another process runs this workspace; reading only</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Engine: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pausing after this operator</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reading only</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Starting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopped</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Stopping</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The engine could not start</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The workspace file</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Where kernels are compiled, checked and timed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Who writes the kernels</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} of {1} operators</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Toast</name>
    <message>
      <source>Close message</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>TrajectoryPanel</name>
    <message>
      <source>Nothing has happened yet</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Outcome</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Prompt as Sent</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reasoning</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reply</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Retrieval</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Round {0} · {1}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Select an operator that has begun.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Step</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Time</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Time line of the rounds</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>What was learnt</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>model calls: {0}</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0:,} tokens in, {1:,} out</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0:,} → {1:,} tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} retrieved, {1} adopted</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Undo</name>
    <message>
      <source>Archive</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Bar</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Demote</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Disable</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Edit</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Edit Rule</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Enable</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Join</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Mark Contradiction</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pin</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Promote</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Recount Tokens</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Reset Evidence</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Restore Snapshot</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Split Rule</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Unbar</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Unpin</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>UtilityCurve</name>
    <message>
      <source>No credit yet</source>
      <translation type="unfinished" />
    </message>
    <message numerus="yes">
      <source>Utility over %n credit event(s), now {0}</source>
      <translation type="unfinished">
        <numerusform />
      </translation>
    </message>
    <message>
      <source>adopted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>not adopted</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>Verdicts</name>
    <message>
      <source>Accepted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Active</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Adopted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>After a diagnostic</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Archived</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Breaks an integrity rule</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Cancelled</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Connected</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Connecting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Correct</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Correct, with a hazard</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Correction</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Correctness</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Diagnosis</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Disabled</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Does not build</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Done</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Failed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Fails while running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Fine</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>First candidate</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Hot</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>In work</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Line lost; trying again</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Merge</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>New experience</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Next candidate</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Normal</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Not adopted</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Not connected</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Not decided</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Not finished</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Note</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Pending</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Quarantined</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rejected</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Rule</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Silent for a while</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Speed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>To be mended</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Unknown</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Unresolved</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Validated</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Void: the environment failed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Waiting</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Waits for you</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Wrong result</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>correctness</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>distilled from a trajectory</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>imported</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>measured</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>mined from an expert kernel</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>modelled</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>replayed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>shipped with the program</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>speed</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>written by a person</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>WorkspaceSession</name>
    <message>
      <source>It belongs to another recording or may not be written; this window follows it.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>Scripted demonstration – no model is running</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>The replies were written by hand and are played back. Compiling, checking, credit and memory are real; latencies are modelled by the CPU twin.</source>
      <translation type="unfinished" />
    </message>
    <message>
      <source>{0} is shown for reading.</source>
      <translation type="unfinished" />
    </message>
  </context>
  <context>
    <name>_LogTable</name>
    <message>
      <source>Log</source>
      <translation type="unfinished" />
    </message>
  </context>
</TS>
