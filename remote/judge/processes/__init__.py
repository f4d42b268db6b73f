"""Child processes with limits: started, waited for, asked, ended."""
