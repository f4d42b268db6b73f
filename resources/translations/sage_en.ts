<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
  <context>
    <name>DiffDocument</name>
    <message numerus="yes">
      <source>%n unchanged line(s) hidden</source>
      <translation>
        <numerusform>%n unchanged line hidden</numerusform>
        <numerusform>%n unchanged lines hidden</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>DiffView</name>
    <message numerus="yes">
      <source>%n unchanged line(s)</source>
      <translation>
        <numerusform>%n unchanged line</numerusform>
        <numerusform>%n unchanged lines</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>FileTabs</name>
    <message numerus="yes">
      <source>{0}: %n message(s), F4 goes to the next</source>
      <translation>
        <numerusform>{0}: %n message, F4 goes to the next</numerusform>
        <numerusform>{0}: %n messages, F4 goes to the next</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>ItemPageView</name>
    <message numerus="yes">
      <source>{0} in %n round(s)</source>
      <translation>
        <numerusform>{0} in one round</numerusform>
        <numerusform>{0} in %n rounds</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>MessageList</name>
    <message numerus="yes">
      <source>%n compiler note(s)</source>
      <translation>
        <numerusform>%n compiler note</numerusform>
        <numerusform>%n compiler notes</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>QueuePanel</name>
    <message numerus="yes">
      <source>Name of the batch of %n operator(s); empty for none</source>
      <translation>
        <numerusform>Name of the batch of one operator; empty for none</numerusform>
        <numerusform>Name of the batch of %n operators; empty for none</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>ReviewHeader</name>
    <message numerus="yes">
      <source>sum of %n timed case(s)</source>
      <translation>
        <numerusform>sum of %n timed case</numerusform>
        <numerusform>sum of %n timed cases</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>RoundStrip</name>
    <message numerus="yes">
      <source>%n experience(s) adopted</source>
      <translation>
        <numerusform>one experience adopted</numerusform>
        <numerusform>%n experiences adopted</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>RunCommands</name>
    <message numerus="yes">
      <source>%n operator(s) were added to the queue.</source>
      <translation>
        <numerusform>One operator was added to the queue.</numerusform>
        <numerusform>%n operators were added to the queue.</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>RunReports</name>
    <message numerus="yes">
      <source>The run has ended; %n operator(s) failed.</source>
      <translation>
        <numerusform>The run has ended; one operator failed.</numerusform>
        <numerusform>The run has ended; %n operators failed.</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>The run has stopped; %n operator(s) wait.</source>
      <translation>
        <numerusform>The run has stopped; one operator waits.</numerusform>
        <numerusform>The run has stopped; %n operators wait.</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>TaughtView</name>
    <message numerus="yes">
      <source>and %n more line(s)</source>
      <translation>
        <numerusform>and %n more line</numerusform>
        <numerusform>and %n more lines</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>Undo</name>
    <message numerus="yes">
      <source>Accepted %n item(s)</source>
      <translation>
        <numerusform>Accepted one item</numerusform>
        <numerusform>Accepted %n items</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Archived %n item(s)</source>
      <translation>
        <numerusform>Archived one item</numerusform>
        <numerusform>Archived %n items</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Blocked %n item(s)</source>
      <translation>
        <numerusform>Blocked one item</numerusform>
        <numerusform>Blocked %n items</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Demoted %n item(s)</source>
      <translation>
        <numerusform>Demoted one item</numerusform>
        <numerusform>Demoted %n items</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Pinned %n item(s)</source>
      <translation>
        <numerusform>Pinned one item</numerusform>
        <numerusform>Pinned %n items</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Promoted %n item(s)</source>
      <translation>
        <numerusform>Promoted one item</numerusform>
        <numerusform>Promoted %n items</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Rejected %n item(s)</source>
      <translation>
        <numerusform>Rejected one item</numerusform>
        <numerusform>Rejected %n items</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Restored %n item(s)</source>
      <translation>
        <numerusform>Restored one item</numerusform>
        <numerusform>Restored %n items</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Unblocked %n item(s)</source>
      <translation>
        <numerusform>Unblocked one item</numerusform>
        <numerusform>Unblocked %n items</numerusform>
      </translation>
    </message>
    <message numerus="yes">
      <source>Unpinned %n item(s)</source>
      <translation>
        <numerusform>Unpinned one item</numerusform>
        <numerusform>Unpinned %n items</numerusform>
      </translation>
    </message>
  </context>
  <context>
    <name>UtilityCurve</name>
    <message numerus="yes">
      <source>Utility over %n credit event(s), now {0}</source>
      <translation>
        <numerusform>Utility over %n credit event, now {0}</numerusform>
        <numerusform>Utility over %n credit events, now {0}</numerusform>
      </translation>
    </message>
  </context>
</TS>
